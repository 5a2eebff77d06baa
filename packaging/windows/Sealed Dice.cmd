@rem Opens the desk: pages in your browser for everything that sealed-dice does.
@title Sealed Dice
@"%~dp0sealed-dice.exe" desk || pause
