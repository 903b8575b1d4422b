"""Stages of scripts/gpu_check: each with a log, a budget of seconds and an outcome."""
import json
import pathlib
import re
import time

from processes import Result, TimedOut, run

# The whole check ends within the 600 s that a machine may be lent for.
SECONDS = 540


class Skipped(Exception):
    """A stage cannot run here; the text says why."""


class Failed(Exception):
    """A check failed; the text says why, or is empty if the log says it."""


def last_line(log):
    """The last line of a log that says anything, in printable ASCII, at most 160 characters."""
    text = re.sub(rb"[^\n\x20-\x7e]", b"", log.read_bytes()).decode("ascii")
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1][:160] if lines else ""


class Stages:
    """Runs stages one after the other and writes what they report to `lines`, one JSON object a line."""

    def __init__(self, scratch, logs, dry):
        self.scratch, self.logs, self.dry = pathlib.Path(scratch), pathlib.Path(logs), dry
        self.lines = self.logs / "lines.jsonl"  # kept even if the whole check is stopped
        self.begin = time.monotonic()
        self.stage_seconds = self.deadline = 0
        self.log = None

    # For the functions of stages.

    def say(self, text):
        """A line in the stage's log."""
        with self.log.open("a") as file:
            print(text, file=file)

    def write(self, **line):
        """A line of the result."""
        with self.lines.open("a") as file:
            print(json.dumps(line), file=file)

    def run(self, *command, merge=False):
        """Runs a command until the stage's budget is spent: its Result."""
        return run(command, self.deadline - time.monotonic(), self.log, merge)

    def run_for_lines(self, *command):
        """The same; the lines that the command printed are kept even if it is stopped."""
        result = Result(0, "")
        try:
            return run(command, self.deadline - time.monotonic(), self.log, result=result)
        finally:
            with self.lines.open("a") as file:
                file.writelines(line + "\n" for line in result.whole_lines())

    def require(self, *command):
        """Runs a command that must succeed."""
        if self.run(*command).code != 0:
            raise Failed

    # For the check.

    def check(self, name, budget, function, *arguments):
        """A stage that decides if results are right: if it does not finish, it has failed."""
        self._stage(name, budget, function, arguments, late="failed")

    def stage(self, name, budget, function, *arguments):
        """A stage that may remain unfinished."""
        self._stage(name, budget, function, arguments, late="unfinished")

    def seconds_left(self):
        return int(SECONDS - (time.monotonic() - self.begin))

    def _stage(self, name, budget, function, arguments, late):
        begin = time.monotonic()
        left = self.seconds_left()
        self.log = self.logs / (re.sub(r"[^a-zA-Z0-9]", "_", name) + ".log")
        self.log.write_text("")
        print(f"{name:<36} ", end="", flush=True)
        if left < 5 and not self.dry:
            self.say("not started: out of time; a second call finds what this one has built")
            outcome, detail = "skipped" if late == "unfinished" else "failed", last_line(self.log)
        else:
            self.stage_seconds = 3600 if self.dry else min(budget, left)
            self.deadline = begin + self.stage_seconds
            outcome, detail = self._outcome(function, arguments, late)
        seconds = int(time.monotonic() - begin)
        print(f"{outcome}, {seconds} s" + (f": {detail}" if detail else ""), flush=True)
        self.write(stage=name, outcome=outcome, seconds=seconds, detail=detail)

    def _outcome(self, function, arguments, late):
        try:
            function(self, *arguments)
            return "passed", ""
        except Skipped as why:
            self.say(why)
            return "skipped", last_line(self.log)
        except Failed as why:
            self.say(why)
            return "failed", last_line(self.log)
        except TimedOut:
            detail = last_line(self.log)
            return late, f"stopped after {self.stage_seconds} s" + (f"; last: {detail}" if detail else "")
