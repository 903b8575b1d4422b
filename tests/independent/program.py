"""Commands of the program under test."""
import subprocess
import sys


def run(*command):
    """Ends the check with the command's message if it fails."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
