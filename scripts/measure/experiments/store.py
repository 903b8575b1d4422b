"""Results of long campaigns, a file for each command: a campaign that was interrupted goes on where it stopped."""
import concurrent.futures
import json
import os
import pathlib
import re
import time

from . import models
from .common import provenance, run
from .inputs import digests_of


class Store:
    """A folder of results. `budget`: seconds after which no further command begins; `jobs`: commands that measure at
    the same time. With several, a first pass over the plan finds what is to be measured, and run_queued() measures it.
    """

    def __init__(self, folder, budget=None, jobs=1):
        self.folder = pathlib.Path(folder).resolve()
        self.end = time.time() + budget if budget else None
        self.jobs = jobs
        self.missing = []
        self.absent = set()  # models that commands needed and that are not here
        self.queued = {}

    def path(self, name):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def has(self, folder):
        return (self.folder / folder).exists()

    def put(self, name, content):
        """Writes a file that commands read, a text or bytes, whole or not at all; returns its path."""
        path = self.path(name)
        content = content.encode() if isinstance(content, str) else content
        if not path.exists() or path.read_bytes() != content:
            temporary = path.with_name(path.name + ".new")
            temporary.write_bytes(content)
            os.replace(temporary, path)
        return path

    def late(self, name, *command):
        """True, and `name` is noted as missing, if the time is over or a model of the command is not here."""
        if model := models.absent_for(command):
            if model not in self.absent:
                print(f"{model} is not here, and its rows are left out; {models.absent()[model]}", flush=True)
            self.absent.add(model)
        if model or (self.end and time.time() > self.end):
            self.missing.append(name)
            return True
        return False

    def unmeasured(self):
        """What is missing of models that are here: another run would measure it."""
        return [name for name in self.missing if str(name).split("/")[0] not in self.absent]

    def entry(self, name):
        """What json() or kept() have under a name, with the command and all; {} without it."""
        path = self.path(f"{name}.json")
        return json.loads(path.read_text()) if path.exists() else {}

    def known(self, name, asked):
        """What json() or kept() have of the same command on the same files; None without it."""
        entry = self.entry(name)
        same = entry.get("command") == asked and entry["inputs"] == digests_of(asked)
        return entry["result"] if same else None

    def seconds(self, name):
        """How long the making of what json() or kept() have took."""
        return self.entry(name)["seconds"]

    def json(self, name, *command, where=()):
        """What `command --json` says: from the folder if the same command has run, else by running it. None if the
        time is over. `where`: more arguments, which say where it runs; results from elsewhere serve as well."""
        asked = [str(part) for part in command]
        if self.jobs > 1 and self.known(name, asked) is None:
            self.queued[name] = (asked, where)
            return None
        return self.ran(name, asked, where)

    def ran(self, name, asked, where):
        """json() of strings, without a queue."""
        return self.kept(name, asked, lambda: self.said(name, asked, where), where)

    def said(self, name, asked, where):
        result = self.path(name + ".result")
        result.unlink(missing_ok=True)
        run(*asked, *where, "--json", result)
        said = json.loads(result.read_text())
        result.unlink()
        return said

    def kept(self, name, asked, make, where=()):
        """The result of make(), which the strings `asked` describe: from the folder if it was made before. None if the
        time is over, or if it cannot be made here: make is None."""
        if (known := self.known(name, asked)) is not None:
            return known
        if make is None:
            self.missing.append(name)
        if make is None or self.late(name, *asked):
            return None
        made_by, start = provenance("cuda" in where), time.time()
        entry = {"command": asked, "inputs": digests_of(asked), "provenance": made_by, "result": make()}
        entry["seconds"] = time.time() - start
        self.put(name + ".json", json.dumps(entry))
        print(f"{name}: {entry['seconds']:.0f} s", flush=True)
        return entry["result"]

    def run_queued(self):
        """Measures what json() queued, in its order, and from now on as a single job. What is missing is noted by the
        next pass."""
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(lambda item: self.ran(item[0], *item[1]), self.queued.items()))
        self.jobs, self.missing = 1, []

    def file(self, name, *command):
        """The file or folder that `command -o FILE --force` writes, made once. None if the time is over."""
        path, asked = self.path(name), [str(part) for part in command]
        mark = path.with_name(path.name + ".command")
        entry = {"command": asked, "inputs": digests_of(asked)}
        if path.exists() and mark.exists():
            made = json.loads(mark.read_text())
            if entry == {key: made[key] for key in entry}:
                return path
        if self.late(name, *command):
            return None
        entry["provenance"] = provenance()
        run(*command, "-o", path, "--force")
        self.put(mark.relative_to(self.folder), json.dumps(entry))
        return path

    def perplexities(self, name, place, text, window, tokens, *more, caches, windows=("--separate",),
                     where=()):
        """The JSON of `axelram perplexity` for each cache, in order; None if the time is over. text:
        (file, bytes to skip)."""
        command = ["perplexity", place, text[0], "--skip", text[1], *windows, "--window", window,
                   "--tokens", tokens, *more]
        for cache in caches:
            command += ["--cache", cache]
        result = self.json(name, *command, where=where)
        return result and result.get("caches", [result])

    def calibrated(self, name, place, text, window, *more, samples=16):
        """The signs of `axelram calibrate`, a file, of the first candidate alone; `more`: what else it
        writes. None if the time is over."""
        return self.file(name, "calibrate", place, text[0], "--skip", text[1], "--candidates", 1,
                         "--samples", samples, "--window", window, *more)

    def provenance(self, recorded=()):
        """All of provenances(), and those of a record, of one day and machine together."""
        commits = {}
        for line in sorted({*recorded, *self.provenances()}):
            before, commit, after, parts = re.fullmatch(r"(.* at commit )([\w+]*)(.*?)(?:; parts at (.*))?\.", line).groups()
            found = commits.setdefault((before, after), [])
            found += [one for one in (commit, *(parts or "").split(", ")) if one and one not in found]
        return " ".join(before + first + after + (f"; parts at {', '.join(more)}." if more else ".")
                        for (before, after), (first, *more) in commits.items())

    def provenances(self):
        """Commits and machines of all results and files, each once."""
        found = set()
        for path in (*self.folder.rglob("*.json"), *self.folder.rglob("*.command")):
            entry = json.loads(path.read_text())
            if isinstance(entry, dict) and "provenance" in entry:
                found.add(entry["provenance"])
        return sorted(found)
