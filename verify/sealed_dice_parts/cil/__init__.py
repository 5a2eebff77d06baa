"""System `cil` (cil.md): battles by orders at once."""
