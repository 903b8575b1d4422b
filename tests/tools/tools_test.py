"""scripts/tools.py and scripts/places.py, with tools that are scripts in a temporary folder."""
import contextlib
import os
import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "scripts"), str(ROOT / "scripts" / "cells")]
import mapping  # noqa: E402
import places  # noqa: E402
import tools  # noqa: E402

ANSWERS = '[ "$1" = -V ] && { echo "Yosys 0.23 (git sha1 7ce5011c24b)"; exit; }\n'
INSTALL = "; run scripts/setup or apt-get install yosys"


@contextlib.contextmanager
def variables(**changes):
    """Environment variables for a while; None removes one."""
    before = dict(os.environ)
    for name, value in changes.items():
        os.environ.pop(name, None) if value is None else os.environ.update({name: value})
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextlib.contextmanager
def tool(script, name="yosys"):
    """A tool in front of the PATH."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, name)
        path.write_text("#!/bin/sh\n" + script, encoding="utf-8")
        path.chmod(0o700)
        with variables(PATH=f"{folder}:{os.environ['PATH']}"):
            yield path


class Calls(unittest.TestCase):
    def complaint(self, script, call=tools.ask):
        with tool(script), self.assertRaises(tools.ToolError) as raised:
            call(["yosys", "-p", "x"], "it")
        return str(raised.exception)

    def test_a_warning_is_no_answer(self):
        with tool(ANSWERS + "echo warning >&2; echo answer\n"):
            self.assertEqual(tools.ask(["yosys"]), "answer\n")
        with tool("echo 'ERROR: ld.so: object' >&2; echo 'module loaded'; echo 'Yosys 0.33 (git sha1 x)'\n"):
            self.assertEqual(tools.version("yosys"), "Yosys 0.33")
        with tool("echo 'perl: warning' >&2; echo 2.0.17\n", "sta"):
            self.assertEqual(tools.version("sta"), "OpenSTA 2.0.17")

    def test_the_language_is_c_and_there_is_no_input(self):
        with tool(ANSWERS + 'echo "$LC_ALL"; cat\n'), variables(LC_ALL="xx_YY.UTF-8"):
            self.assertEqual(tools.call(["yosys"]), "C\n")
            self.assertEqual(tools.call(["yosys"], input="given\n"), "C\ngiven\n")

    def test_versions_are_compared_and_named(self):
        for old in ("0.9", "0.9+3477", "0.22"):
            with tool(f"echo 'Yosys {old} (git sha1 x)'\n") as path, self.assertRaises(tools.ToolError) as raised:
                tools.version("yosys")
            # It is installed: how to get another one helps.
            self.assertEqual(str(raised.exception),
                             f"Yosys {old.split('+')[0]}; 0.23 or later is needed, such as that of Debian 12 or "
                             f"https://github.com/YosysHQ/oss-cad-suite-build, in front of {path.parent} on the PATH")
        with tool("echo 'Yosys UNKNOWN'\n"):
            self.assertEqual(tools.version("yosys"), "Yosys UNKNOWN")
        self.assertRegex(self.complaint("exit 0\n"), "^yosys -V printed nothing; see that .*/yosys is Yosys$")
        self.assertEqual(self.complaint("echo 'no library' >&2; exit 127\n"),
                         "yosys -V failed with status 127: no library")
        with variables(PATH="/nowhere"), self.assertRaisesRegex(tools.ToolError, f"^yosys is not installed{INSTALL}$"):
            tools.call(["yosys"])

    def test_what_is_absent_is_told_with_what_helps(self):
        for name, helps in (("vvp", "vvp is not installed; run scripts/setup or apt-get install iverilog$"),
                            ("nvidia-smi", "nvidia-smi is not installed; install it, or put it on the PATH"),
                            ("/nowhere/axelram", "/nowhere/axelram does not exist; scripts/build makes programs of the project")):
            with variables(PATH="/nowhere"), self.assertRaisesRegex(tools.ToolError, "^" + helps):
                tools.call([name])
        installed = re.findall(r"[\w+-]+", (ROOT / "scripts" / "setup").read_text(encoding="utf-8").split("case", 1)[0])
        self.assertEqual(set(tools.PACKAGES.values()) - set(installed), set())

    def test_the_exit_code_comes_first(self):
        status = "yosys on it failed with status 3: "
        self.assertEqual(self.complaint(ANSWERS + "echo fine; exit 3\n"), status + "fine")
        self.assertEqual(self.complaint(ANSWERS + "echo fine; echo 'ERROR: bad'; echo x >&2; exit 3\n"), status + "ERROR: bad")
        self.assertEqual(self.complaint(ANSWERS + "echo 'ERROR: ld.so: x' >&2; echo bad; exit 3\n"), status + "bad")
        self.assertEqual(self.complaint(ANSWERS + "exit 3\n"), status + "it printed nothing")
        killed = "yosys on it was ended by signal 9 (Killed)"
        self.assertEqual(self.complaint(ANSWERS + "echo gone >&2; kill -9 $$\n"), killed + ": gone")
        self.assertEqual(self.complaint(ANSWERS + "echo '3 of 12'; kill -9 $$\n"), killed)

    def test_silence_is_that_of_the_tool(self):
        self.assertEqual(self.complaint(ANSWERS + "exit 0\n"), "yosys printed nothing on it")
        with tempfile.TemporaryDirectory() as folder:
            call = lambda *_: mapping.run_yosys("x", pathlib.Path(folder), "it", "mapped.json")
            self.assertEqual(self.complaint(ANSWERS + ": >mapped.json\n", call),
                             "Yosys wrote no mapped.json on it, and reported no error")

    def test_the_table_is_that_of_the_program(self):
        text = (ROOT / "sim/tools/include/axelram/sim/tools.hpp").read_text(encoding="utf-8")
        rows = {row[0]: row for row in (re.findall(r'"(.*?)"', found) for found in re.findall(r"Tool k\w+ = \{(.*?)\};", text, re.S))}
        self.assertIn("yosys", rows)
        for name in rows.keys() & tools.TOOLS.keys():
            one = tools.TOOLS[name]
            self.assertEqual(rows[name], [one.name, one.title, one.option, one.least, one.package, one.home])


class Places(unittest.TestCase):
    def test_a_relative_cache_is_no_place(self):
        for relative in (None, "", "cache", "./cache", "~/cache", "../cache"):
            with self.subTest(relative), variables(XDG_CACHE_HOME=relative, HOME="/home/x"):
                self.assertEqual(places.cache_home(), pathlib.Path("/home/x/.cache"))
        with variables(XDG_CACHE_HOME="/x/cache"):
            self.assertEqual(places.cache_home(), pathlib.Path("/x/cache"))

    def test_a_library_behind_a_byte_order_mark(self):
        for mark in (b"", b"\xef\xbb\xbf"):
            with self.subTest(mark), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder, "x.lib")
                path.write_bytes(mark + b"library(x) {}\n")
                mapping.put_library(str(path), pathlib.Path(folder))
                self.assertEqual(pathlib.Path(folder, "library.lib").read_bytes(), b"library(x) {}\n")


if __name__ == "__main__":
    unittest.main()
