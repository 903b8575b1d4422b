"""Commands in sessions: each ends, with all that it started, by its deadline."""
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import tools  # noqa: E402


class TimedOut(Exception):
    """A command did not end in time."""


class Result:
    def __init__(self, code, text):
        self.code, self.text = code, text

    def whole_lines(self):
        """The lines of the output, without a last one that was cut off."""
        return self.text[:self.text.rfind("\n") + 1].splitlines()


def processes_of(session):
    """Processes of a session, whatever their groups, without those that have ended."""
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, number = stat.read_text().rpartition(")")[2].split()[:4]
        except (OSError, ValueError):
            continue  # it has just ended
        if int(number) == session and state != "Z":
            yield int(stat.parent.name)


def end_session(session):
    """Kills all processes of a session. Returns when none is left, or after 5 s."""
    for _ in range(50):
        left = list(processes_of(session))
        if not left:
            return
        for process in left:
            try:
                os.kill(process, signal.SIGKILL)
            except OSError:
                pass
        time.sleep(0.1)


def run(command, seconds, log, merge=False, result=None):
    """Runs a command for at most `seconds`; appends its output to the file `log` as it comes.

    The result holds standard output (with merge, standard error as well) and the exit code as a
    shell has it: 128 + n after signal n, 127 if there is no such program. A `result` that the caller
    passes holds the output that came before a TimedOut.
    """
    result = result or Result(0, "")
    with open(log, "ab", buffering=0) as file:
        try:
            process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, start_new_session=True, env=tools.environment(),
                                       stderr=subprocess.STDOUT if merge else file)
        except OSError as error:
            file.write(f"{command[0]}: {error.strerror}\n".encode())
            result.code = 127
            return result

        def copy():
            with process.stdout:
                for line in process.stdout:
                    file.write(line)
                    result.text += line.decode(errors="replace")

        reader = threading.Thread(target=copy, daemon=True)
        reader.start()
        try:
            code = process.wait(max(seconds, 0))
        except subprocess.TimeoutExpired as error:
            raise TimedOut from error
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
            end_session(process.pid)
            reader.join(5)
    result.code = code if code >= 0 else 128 - code
    return result
