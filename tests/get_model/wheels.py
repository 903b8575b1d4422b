"""Small wheels, and a table of pretrained models that are made of them."""
import base64
import hashlib
import json
import zipfile

PARTS = (b"first half, " * 1000, b"second half")
MODEL = b"".join(PARTS)
TERMS = "https://example.com/terms"


def write_wheel(folder, package, members, digests=None):
    """A wheel of these members. `digests` are other bytes for the digests of RECORD: {member: bytes}."""
    folder.mkdir(exist_ok=True)
    name, version = package.split("==")
    stem = f"{name.replace('-', '_')}-{version}"
    info = f"{stem}.dist-info"
    members = members | {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    record = ""
    for member, content in members.items():
        digest = hashlib.sha256((digests or {}).get(member, content)).digest()
        record += f"{member},sha256={base64.urlsafe_b64encode(digest).decode().rstrip('=')},{len(content)}\n"
    path = folder / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for member, content in members.items():
            wheel.writestr(member, content)
        wheel.writestr(f"{info}/RECORD", f"{record}{info}/RECORD,,\n")
    return path


def row(name, parts, **more):
    """A model of one package per part; the first package has what lies beside the model."""
    return {"name": name, "file": f"{name}.gguf", "bytes": sum(map(len, parts)),
            "sha256": hashlib.sha256(b"".join(parts)).hexdigest(),
            "packages": [f"tiny-part{i}==1.0" for i in range(len(parts))],
            "parts": [f"tiny_part{i}/data/model.part{i}" for i in range(len(parts))],
            "beside": ["tiny_part0/data/NOTICE.md", "tiny_part0/data/SHA256SUMS"],
            "licence": "Apache 2.0", "source": "https://example.com/tiny"} | more


def write_wheels(folder, parts=PARTS, sums=None):
    """The wheels of a row with these parts. `sums`: the digest that SHA256SUMS states."""
    sums = sums or hashlib.sha256(b"".join(parts)).hexdigest()
    beside = {"tiny_part0/data/NOTICE.md": b"made for a test\n",
              "tiny_part0/data/SHA256SUMS": f"{sums}  tiny.gguf\n".encode()}
    for i, part in enumerate(parts):
        write_wheel(folder, f"tiny-part{i}==1.0", {f"tiny_part{i}/data/model.part{i}": part} | (beside if i == 0 else {}))
    return folder


def write_table(share, *rows):
    (share / "models").mkdir(parents=True, exist_ok=True)
    (share / "models/pretrained.json").write_text(json.dumps(rows), encoding="utf-8")
