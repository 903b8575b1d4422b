"""What the scripts that check claims by number have in common."""


def report(checks):
    """Prints the numbers that do not hold, of {number: whether it holds}. Returns the exit code."""
    wrong = [number for number, holds in checks.items() if not holds]
    for number in wrong:
        print(f"{number}: does not hold")
    print(f"{len(checks)} claims, {len(wrong)} wrong")
    return 1 if wrong else 0
