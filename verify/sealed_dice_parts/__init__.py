"""What stands beside `sealed_dice.py`: its forms, and the systems that have modules of their own."""
