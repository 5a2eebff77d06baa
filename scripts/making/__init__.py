"""Parts of scripts/release. Each file makes one kind of thing that people download."""
