"""Segments: which tokens a query sees. Places matter only where segments may not overlap, so tokens are lists here."""
ALLOCATE, APPEND, ATTEND, EVICT, FREE = range(5)
COLUMNS = 7


class Segment:
    def __init__(self, base=0, capacity=0, sinks=0, row=0, wraps=0):
        self.base, self.capacity, self.sinks, self.row, self.wraps = base, capacity, sinks, row, wraps
        self.tokens, self.arrived = [], 0  # (token, its arrival), the oldest first; capacity 0: free

    def forget(self, n):
        del self.tokens[self.sinks:self.sinks + n]

    def append(self, token):
        """-> whether there was a place."""
        if len(self.tokens) == self.capacity:
            if not self.wraps or self.capacity == self.sinks:
                return False
            self.forget(1)
        self.tokens.append((token, self.arrived))
        self.arrived += 1
        return True

    def exact(self, first, last):
        """-> those of its tokens that are scored from copies, if the first and the last to arrive are."""
        return {token for token, arrival in self.tokens if arrival < first or arrival >= self.arrived - last}

    def overlaps(self, other):
        return self.base < other.base + other.capacity and other.base < self.base + self.capacity


class Store:
    def __init__(self, max_keys, segments, rotations):
        self.max_keys, self.rotations = max_keys, rotations
        self.segments = [Segment() for _ in range(segments)]

    def find(self, number):
        """-> the segment, or None if it is free or does not exist."""
        segment = self.segments[number] if number < len(self.segments) else None
        return segment if segment and segment.capacity else None

    def allocate(self, number, *parameters):
        new = Segment(*parameters)
        if (number >= len(self.segments) or self.segments[number].capacity or not new.capacity or new.sinks > new.capacity
                or new.base + new.capacity > self.max_keys or new.row >= self.rotations):
            return None
        if any(map(new.overlaps, self.segments)):
            raise ValueError(f"segment {number} overlaps another")
        self.segments[number] = new
        return new

    def take(self, row, token=None):
        """A command takes effect; an append adds `token` -> the segment, or None if rejected."""
        code, number = row[:2]
        if code == ALLOCATE:
            return self.allocate(*row[1:])
        segment = self.find(number)
        if segment and code == APPEND and not segment.append(token):
            return None
        if segment and code == EVICT:
            segment.forget(row[2])
        if segment and code == FREE:
            self.segments[number] = Segment()
        return segment


def check(commands, max_keys, tokens, queries, group):
    """Rejects rows that no macro takes."""
    number, byte, flag = range(max_keys + 1), range(256), range(2)
    ranges = {ALLOCATE: (byte, number, number, number, byte, flag), APPEND: (byte,), ATTEND: (byte,), EVICT: (byte, number),
              FREE: (byte,)}
    for i, (code, *numbers) in enumerate(commands):
        used = ranges.get(code, ())
        used += (range(1),) * (COLUMNS - 1 - len(used))
        if code not in ranges or any(n not in valid for n, valid in zip(numbers, used)):
            raise ValueError(f"tensor commands, row {i}: {[code, *numbers]} is not valid")
    codes = [row[0] for row in commands]
    for code, count, name in ((APPEND, tokens, "tokens"), (ATTEND, queries / group, "groups of queries")):
        if codes.count(code) != count:
            raise ValueError(f"tensor commands: {codes.count(code)} rows of code {code} for {count:g} {name}")
