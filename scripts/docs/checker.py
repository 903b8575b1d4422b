"""Arguments of checkers, and a self-test that plants faults in temporary trees."""
import argparse
import contextlib
import pathlib
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def put(root, files):
    """Writes {path: text or bytes} below a folder; None removes a file."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            path.unlink()
        else:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())


@contextlib.contextmanager
def tree(files):
    """A temporary folder with these files."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        put(root, files)
        yield root


def self_test(check, good, resolved, planted, alone=True):
    """Whether check(root) -> (failures, what it resolved) finds no failure in a tree of the files
    `good`, and with each planted fault its own: alone, or among others that follow from the fault.
    A fault is (file, text, the text in its place, failure); with None for the text the file is
    new."""
    wrong = []
    for file, old, new, failure in ((None, None, None, None), *planted):
        changed = {file: new if old is None else good[file].replace(old, new, 1)} if file else {}
        with tree(good | changed) as root:
            failures, found = check(root)
        if file is None:
            right = not failures and found == resolved
        else:
            right = failures == [failure] if alone else failure in failures
        if not right:
            wrong.append(f"self-test: {file}: {old!r} -> {new!r}: {failures}, {found} resolved")
    print(*wrong, f"{len(planted)} planted faults, {len(wrong)} wrong", sep="\n")
    return not wrong


def main(description, check, self_test, summary, options=()):
    """The exit code of a checker: 0 holds, 1 does not. check(root, *options) -> (failures, figures
    for `summary`); self_test() -> whether all is found. `options`: names of the checker's flags."""
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    for option in ("self-test", *options):
        parser.add_argument(f"--{option}", action="store_true")
    arguments = parser.parse_args()
    if not arguments.root.is_dir():
        parser.error(f"--root {arguments.root}: no such folder")
    if arguments.self_test:
        return 0 if self_test() else 1
    chosen = [getattr(arguments, name) for name in options]
    failures, found = check(arguments.root.resolve(), *chosen)
    print(*failures, f"{summary.format(*found)}, {len(failures)} failures", sep="\n")
    return 1 if failures else 0
