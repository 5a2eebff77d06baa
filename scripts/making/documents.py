"""The texts that every download has beside the program."""

from .archives import put
from .program import ROOT

DOCUMENTS = ["README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE-APACHE", "LICENSE-MIT"]


def put_documents(folder, third_party, materials, build):
    for name in DOCUMENTS:
        put(ROOT / name, folder, name)
    for page in sorted((ROOT / "docs").iterdir()):
        if page.suffix in (".md", ".png", ".svg"):
            put(page, folder, "docs", page.name)
    put(ROOT / "verify/audit.html", folder, "audit.html")
    (folder / "THIRD-PARTY.txt").write_text(third_party, encoding="utf-8")
    (folder / "sbom.cdx.json").write_text(materials, encoding="utf-8")
    (folder / "BUILD.txt").write_text(build, encoding="utf-8")
