"""Random commands: what a store takes and, of each kind, what it rejects. No allocation overlaps."""
import segments
from segments import ALLOCATE, APPEND, ATTEND, EVICT, FREE


class CommandMaker:
    def __init__(self, macro, random):
        self.random, self.group = random, macro.group
        self.max_keys, self.segments, self.rotations = macro.size_of_store
        self.store = segments.Store(*macro.size_of_store)

    def make(self, tokens, groups):
        """-> rows with that many appends and attends."""
        self.rows, self.left = [], {APPEND: tokens, ATTEND: groups}
        while any(self.left.values()):
            self.random.choices((self.allocate, self.burst, self.attend, self.evict, self.free, self.unheld, self.misfit),
                                (4, 8, 6 * bool(self.left[ATTEND]), 3, 2, 4, 2))[0]()
        return self.rows

    def add(self, code, *numbers):
        if code in self.left:
            if not self.left[code]:
                return
            self.left[code] -= 1
        row = (code, *numbers) + (0,) * (segments.COLUMNS - 1 - len(numbers))
        self.rows.append(row)
        return self.store.take(row)

    def held(self, held=True):
        """-> a segment that is allocated, or one that is not; None if there is none."""
        numbers = [i for i in range(self.segments) if bool(self.store.find(i)) == held]
        return self.random.choice(numbers) if numbers else None

    def allocate(self):
        """A gap between segments, or a part of it."""
        number = self.held(False)
        taken = sorted((s.base, s.base + s.capacity) for s in self.store.segments if s.capacity)
        edges = [0] + [edge for pair in taken for edge in pair] + [self.max_keys]
        gaps = [(low, high) for low, high in zip(edges[::2], edges[1::2]) if low < high]
        if number is None or not gaps:
            return
        low, high = self.random.choice(gaps)
        capacity = min(high - low, self.random.choice([1, 2, 3, 5, 8, 13, 64]))
        sinks = self.random.choice([0, 0, min(1, capacity), self.random.randint(0, capacity), capacity])
        base = self.random.choice([low, high - capacity, self.random.randint(low, high - capacity)])
        self.add(ALLOCATE, number, base, capacity, sinks, self.random.randrange(self.rotations), self.random.randrange(2))

    def burst(self):
        """Appends until one is rejected."""
        number, count = self.held(), self.random.randint(1, 9)
        while number is not None and count and self.add(APPEND, number):
            count -= 1

    def attend(self):
        number = self.held()
        if number is not None:
            self.add(ATTEND, number)

    def evict(self):
        number = self.held()
        if number is not None:
            n = self.random.choice([0, 1, 2, len(self.store.find(number).tokens), self.max_keys])
            self.add(EVICT, number, min(n, self.max_keys))

    def free(self):
        number = self.held()
        if number is not None:
            self.add(FREE, number)

    def unheld(self):
        """A segment that is free or does not exist."""
        number = self.random.choice([n for n in (self.held(False), self.segments, 255) if n is not None])
        if number > 255 or self.store.find(number):
            return
        for code in self.random.sample([APPEND, EVICT, FREE] + [ATTEND] * (self.left[ATTEND] > 2), 2):
            self.add(code, number, *[1] * (code == EVICT))

    def misfit(self):
        """Allocations that are rejected."""
        whole, free, held = self.max_keys, self.held(False), self.held()
        rows = [(self.segments, 0, whole, 0, 0, 0), (255, 0, whole, 0, 0, 1)] if self.segments < 256 else []
        if held is not None:
            rows.append((held, 0, whole, 0, 0, 0))
        if free is not None:
            capacity = self.random.randint(1, whole)
            base = whole - capacity + self.random.randint(1, capacity)
            rows += [(free, 0, 0, 0, 0, 0), (free, base, capacity, 0, 0, 1), (free, whole, whole, whole, 0, 0)]
            rows += [(free, 0, whole, 0, self.rotations, 0)] if self.rotations < 256 else []
            rows += [(free, 0, 1, 2, 0, 1), (free, 0, whole - 1, whole, 0, 0)] if whole > 1 else []
        for row in self.random.sample(rows, len(rows) // 2):
            self.add(ALLOCATE, *row)
