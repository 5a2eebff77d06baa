"""System `ndc` (ndc.md): what everyone knows, and the run of a player's secret hand."""
