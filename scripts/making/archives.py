"""Packs folders so that the bytes depend on nothing but names, modes, contents and one time."""

import gzip
import io
import os
import shutil
import subprocess
import tarfile
import time
import zipfile
from pathlib import Path


def put(source, *path):
    target = Path(*path)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o755 if os.access(source, os.X_OK) else 0o644)


def put_packed(source, *path):
    """Writes a file as Debian wants manual pages: compressed."""
    target = Path(*path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(gzip.compress(source.read_bytes(), mtime=0))
    target.chmod(0o644)


def tar(folder, path, epoch):
    """Packs a folder as a tar.gz."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for one in sorted([folder, *folder.rglob("*")]):
            about = archive.gettarinfo(str(one), str(one.relative_to(folder.parent)))
            about.uid = about.gid = 0
            about.uname = about.gname = "root"
            about.mtime = epoch
            about.mode = 0o755 if one.is_dir() or os.access(one, os.X_OK) else 0o644
            with open(one, "rb") if one.is_file() else io.BytesIO() as file:
                archive.addfile(about, file if one.is_file() else None)
    with open(path, "wb") as raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=epoch) as out:
        out.write(content.getvalue())


def zipped(folder, path, epoch):
    """Packs a folder as a zip file."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for one in sorted(file for file in folder.rglob("*") if file.is_file()):
            about = zipfile.ZipInfo(one.relative_to(folder.parent).as_posix(), time.gmtime(epoch)[:6])
            about.compress_type = zipfile.ZIP_DEFLATED
            about.external_attr = 0o644 << 16
            archive.writestr(about, one.read_bytes())


def deb(stage, control, scripts, path, epoch):
    """Packs a folder as a Debian package. `control` is the text of that file, `scripts` are those of the maintainer."""
    size = sum(file.stat().st_size for file in stage.rglob("*") if file.is_file()) // 1024
    for script in scripts:
        put(script, stage, "DEBIAN", script.name)
    about = stage / "DEBIAN/control"
    about.write_text(control.replace("SIZE", str(size)))
    about.chmod(0o644)
    for one in [stage, *stage.rglob("*")]:
        if one.is_dir():
            one.chmod(0o755)
        os.utime(one, (epoch, epoch))
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", stage, path], check=True, stdout=subprocess.DEVNULL,
                   env=os.environ | {"SOURCE_DATE_EPOCH": str(epoch)})
