#!/usr/bin/env python3
"""Times PyTorch at the shapes of gpu_bench, the same way: CUDA graphs, median of 50 replays.

Prints one JSON object a line: {"peer": "scores" | "attention", "implementation": ..., batch, heads,
group, context, d, "us": ...}. Every implementation that runs is timed; gpu_report takes the fastest.
Exit code 3 without PyTorch or a GPU. --small --device cpu shows that every call is taken.
"""
import argparse
import json
import statistics
import sys
import time

GRID_BATCHES = (1, 4, 16, 64)
GRID_CONTEXTS = (1024, 8192, 32768, 131072)
HEADS, GROUP, D = 8, 4, 128
REPLAYS, WARM_UPS, GRAPH_SECONDS = 50, 3, 1e-3


def say(**line):
    print(json.dumps(line), flush=True)


class Timer:
    """The time of one call, of calls over sets of buffers that take turns."""

    def __init__(self, torch, device):
        self.torch, self.device = torch, device

    def us(self, call, sets):
        if self.device == "cpu":
            begin = time.perf_counter()
            call(0)
            return 1e6 * (time.perf_counter() - begin)
        torch = self.torch
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):  # what loads on first use does it outside the graph
            for _ in range(3):
                call(0)
        stream.synchronize()
        once = self._replay_times(self._graph(call, 1, 1), 3)[-1]
        fill = max(1, int(GRAPH_SECONDS / max(once, 1e-6)) + 1)
        submits = -(-fill // sets) * sets
        graph = self._graph(call, submits, sets)
        times = self._replay_times(graph, WARM_UPS + REPLAYS)[WARM_UPS:]
        return 1e6 * statistics.median(times) / submits

    def _graph(self, call, submits, sets):
        graph = self.torch.cuda.CUDAGraph()
        self.kept = []  # outputs stay until the graph is gone
        with self.torch.cuda.graph(graph):
            for i in range(submits):
                self.kept = [call(i % sets)]
        return graph

    def _replay_times(self, graph, count):
        event = self.torch.cuda.Event
        times = []
        for _ in range(count):
            begin, end = event(enable_timing=True), event(enable_timing=True)
            begin.record()
            graph.replay()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end) * 1e-3)
        return times


def sets_beyond_cache(torch, device, set_bytes):
    if device == "cpu":
        return 2
    cache = torch.cuda.get_device_properties(0).L2_cache_size
    return min(max(4 * cache // set_bytes + 1, 1), 1024)


def fits(torch, device, wanted):
    return device == "cpu" or wanted < torch.cuda.mem_get_info()[0] * 0.9


def elements(torch, device, *shape):
    """N(0, 1) in FP16; large ones repeat, as drawing them all would take longer than timing them."""
    result = torch.empty(shape, dtype=torch.float16, device=device)
    flat = result.view(-1)
    unique = min(flat.numel(), 1 << 24)
    flat[:unique] = torch.randn(unique, device=device).half()
    have = unique
    while have < flat.numel():
        more = min(have, flat.numel() - have)
        flat[have:have + more] = flat[:more]
        have += more
    return result


def time_all(torch, timer, peer, shape, calls, sets):
    for name, call in calls.items():
        try:
            with torch.inference_mode():
                us = timer.us(call, sets)
        except Exception as error:  # a backend that does not take these shapes
            torch.cuda.synchronize() if timer.device != "cpu" else None
            say(peer=peer, implementation=name, **shape, us=None, error=str(error).splitlines()[0][:200])
            continue
        say(peer=peer, implementation=name, **shape, us=round(us, 3))


def scores(torch, timer, shape):
    """Scores of the same keys by the FP16 product, which leaves FP16 scores."""
    b, h, g, n, d = shape.values()
    set_bytes = b * h * n * d * 2
    sets = sets_beyond_cache(torch, timer.device, set_bytes)
    if not fits(torch, timer.device, sets * set_bytes * 1.2):
        return
    keys = elements(torch, timer.device, sets, b * h, n, d)
    queries = elements(torch, timer.device, b * h, g, d)
    out = torch.empty(b * h, g, n, dtype=torch.float16, device=timer.device)
    turned = torch.empty(b * h, n, g, dtype=torch.float16, device=timer.device)
    calls = {
        "torch.bmm, queries x keys^T": lambda s: torch.bmm(queries, keys[s].transpose(1, 2), out=out),
        "torch.bmm, keys x queries^T": lambda s: torch.bmm(keys[s], queries.transpose(1, 2), out=turned),
        "torch.matmul": lambda s: torch.matmul(queries, keys[s].transpose(1, 2)),
    }
    time_all(torch, timer, "scores", shape, calls, sets)


def attention_calls(torch, device, q, keys, values):
    """Decode attention, q [b, h * g, 1, d], by every implementation that there is."""
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.nn.functional import scaled_dot_product_attention as sdpa
    b, heads, _, d = q.shape
    # The query heads of a KV head as tokens of one head: the same sums, keys read once.
    grouped = q.view(b, HEADS, GROUP, d)

    def with_backend(backend, call):
        def run(s):
            with sdpa_kernel(backend):
                return call(s)
        return run

    backends = {"flash": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION,
                "memory-efficient": SDPBackend.EFFICIENT_ATTENTION}
    if device == "cpu":
        backends = {"math": SDPBackend.MATH}
    calls = {}
    for name, backend in backends.items():
        calls[f"SDPA {name}, enable_gqa"] = with_backend(
            backend, lambda s: sdpa(q, keys[s], values[s], enable_gqa=True))
        calls[f"SDPA {name}, groups as tokens"] = with_backend(
            backend, lambda s: sdpa(grouped, keys[s], values[s]))
    try:
        from flash_attn import flash_attn_with_kvcache
        # [b, n, h, d], its own layout
        other = q.view(b, 1, heads, d)
        calls["flash_attn_with_kvcache"] = lambda s: flash_attn_with_kvcache(
            other, keys[s].view(b, -1, HEADS, d), values[s].view(b, -1, HEADS, d))
    except ImportError:
        pass
    return calls


def attention(torch, timer, shape):
    b, h, g, n, d = shape.values()
    set_bytes = 2 * b * h * n * d * 2
    sets = sets_beyond_cache(torch, timer.device, set_bytes)
    if not fits(torch, timer.device, sets * set_bytes * 1.1):
        say(peer="attention", implementation="none", **shape, us=None, error="too little memory")
        return
    keys = elements(torch, timer.device, sets, b, h, n, d)
    values = elements(torch, timer.device, sets, b, h, n, d)
    q = elements(torch, timer.device, b, h * g, 1, d)
    time_all(torch, timer, "attention", shape, attention_calls(torch, timer.device, q, keys, values), sets)


def shape_of(batch, context):
    return {"batch": batch, "heads": HEADS, "group": GROUP, "context": context, "d": D}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--small", action="store_true", help="one small shape")
    parser.add_argument("--seconds", type=float, default=200, help="no new shape after these")
    arguments = parser.parse_args()
    try:
        import torch
    except ImportError:
        print("pytorch_baseline.py: no PyTorch", file=sys.stderr)
        return 3
    if arguments.device == "cuda" and not torch.cuda.is_available():
        print("pytorch_baseline.py: PyTorch sees no GPU", file=sys.stderr)
        return 3
    say(peer="library", implementation=f"PyTorch {torch.__version__}, CUDA {torch.version.cuda}")
    timer = Timer(torch, arguments.device)
    if arguments.small:
        grid = [(2, 70)]
    else:  # the shape that ratios are stated for comes first
        grid = [(16, 32768)] + [(b, n) for b in GRID_BATCHES for n in GRID_CONTEXTS
                                if (b, n) != (16, 32768)]
    begin = time.monotonic()
    scores(torch, timer, shape_of(*grid[0]))
    for batch, context in grid:
        if time.monotonic() - begin > arguments.seconds:
            say(peer="attention", implementation="none", **shape_of(batch, context), us=None,
                error="out of time")
            continue
        try:
            attention(torch, timer, shape_of(batch, context))
        except RuntimeError as error:
            say(peer="attention", implementation="none", **shape_of(batch, context), us=None,
                error=str(error).splitlines()[0][:200])
        if arguments.device == "cuda":
            torch.cuda.empty_cache()
    return 0


if __name__ == "__main__":
    sys.exit(main())
