"""The Python checker for a differential: reads names of files, one a line, and answers each with the lines of
`sealed_dice.py audit --json FILE` and a line with a dot. One process for all files, in which a signature that several of
them have is worked out once.

usage: audits.py FOLDER_OF_SEALED_DICE_PY
"""
import functools
import sys

sys.path.insert(0, sys.argv[1])
import sealed_dice  # noqa: E402

sealed_dice.check_signature = functools.lru_cache(maxsize=1 << 14)(sealed_dice.check_signature)

for line in sys.stdin:
    sealed_dice.main(["audit", "--json", line.rstrip("\n")])
    print(".", flush=True)
