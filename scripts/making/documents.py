"""The texts that every download has beside the program."""

from .archives import put
from .program import ROOT, said

DOCUMENTS = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE-APACHE", "LICENSE-MIT"]
# The second checker, which needs only Python.
CHECKER = ["verify/sealed_dice.py", "verify/sealed_dice_parts", "vectors/README.md"]


def put_audit_page(folder, build):
    """Puts the page that `audit --page` of the built program writes: its foot names the commit."""
    commit = build.split("\n", 1)[0].removeprefix("commit ")
    page = (ROOT / "verify/audit.html").read_text(encoding="utf-8")
    page = page.replace('data-commit=""', f'data-commit="{commit}"', 1)
    (folder / "verify/audit.html").write_text(page, encoding="utf-8", newline="")


def put_documents(folder, third_party, materials, build):
    for name in DOCUMENTS:
        put(ROOT / name, folder, name)
    for name in ("docs", "protocol"):
        for page in sorted((ROOT / name).iterdir()):
            if page.suffix in (".md", ".png", ".svg"):
                put(page, folder, name, page.name)
    for name in said("git", "ls-files", "-z", *CHECKER).strip("\0").split("\0"):
        put(ROOT / name, folder, name)
    put_audit_page(folder, build)
    (folder / "THIRD-PARTY.txt").write_text(third_party, encoding="utf-8")
    (folder / "sbom.cdx.json").write_text(materials, encoding="utf-8")
    (folder / "BUILD.txt").write_text(build, encoding="utf-8")
