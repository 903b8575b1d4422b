"""A training loop that can be killed: its state lies in a file, and the same command goes on from it."""

import math
import os
import pathlib
import time

import torch

from byte_coda.model import is_own


class Mismatch(Exception):
    """A state that belongs to another training, or is none."""


def optimizer(model, rate, own_factor):
    """AdamW; CoDA's own parameters have a rate of their own and no decay."""
    groups = [[], [], []]
    for name, parameter in model.named_parameters():
        groups[2 if is_own(name) else 0 if parameter.dim() == 2 else 1].append(parameter)
    settings = [
        {"params": group, "peak": peak, "lr": peak, "weight_decay": decay}
        for group, peak, decay in zip(groups, (rate, rate, rate * own_factor), (0.05, 0.0, 0.0))
        if group
    ]
    return torch.optim.AdamW(settings, betas=(0.9, 0.95))


def write_state(path, state):
    """Whole or not at all: a kill while it is written leaves the state before it."""
    scratch = path.with_name(path.name + ".new")
    with open(scratch, "wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    scratch.replace(path)


class Training:
    """`recipe` is all that decides the weights; a state of another recipe is refused."""

    def __init__(self, model, recipe, steps, rate, own_factor=20, warmup=50):
        self.model, self.recipe, self.steps, self.warmup = model, recipe, steps, warmup
        self.update = optimizer(model, rate, own_factor)
        self.step, self.seconds = 0, 0.0
        self.notes = {}  # what else later steps depend on

    def resume(self, path, generator):
        """Takes over the state at `path` if there is one; the generator gets its state back."""
        if not path.exists():
            return False
        try:
            state = torch.load(path, map_location="cpu")
        except Exception as error:  # of many kinds, by PyTorch's version
            raise Mismatch(f"{path}: no state of a training: {error}".splitlines()[0]) from None
        for key in sorted(set(self.recipe) | set(state["recipe"])):
            mine, other = self.recipe.get(key), state["recipe"].get(key)
            if mine != other:
                raise Mismatch(f"{path}: a training with {key} {other}, not {mine}")
        self.model.load_state_dict(state["model"])
        self.update.load_state_dict(state["optimizer"])
        generator.set_state(state["generator"])
        self.step, self.seconds, self.notes = state["step"], state["seconds"], state["notes"]
        return True

    def save(self, path, generator):
        state = {key: getattr(self, key) for key in ("recipe", "step", "seconds", "notes")}
        state |= {"model": self.model.state_dict(), "optimizer": self.update.state_dict()}
        write_state(pathlib.Path(path), state | {"generator": generator.get_state()})

    def rate(self):
        """Of the highest: it rises for the first steps and falls as a cosine to a twentieth."""
        fall = 0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * self.step / self.steps))
        return min(1, (self.step + 1) / self.warmup) * fall

    def advance(self, loss):
        """One step down the gradient of `loss`."""
        for group in self.update.param_groups:
            group["lr"] = group["peak"] * self.rate()
        self.update.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.update.step()
        self.step += 1

    def run(self, loss_of_step, path, generator, save_every, report_every, report, stop_after=None):
        """To the last step, or `stop_after`; True if it is the last. The state is written every
        `save_every` seconds and at a stop."""
        stop = min(self.steps, stop_after or self.steps)
        begin = saved = reported = time.monotonic()
        before = self.seconds
        while self.step < stop:
            self.advance(loss_of_step(self.step))
            now = time.monotonic()
            self.seconds = before + now - begin
            if now - reported >= report_every:
                reported = now
                report(self)
            if now - saved >= save_every:
                saved = now
                self.save(path, generator)
        if self.step < self.steps:
            self.save(path, generator)
        return self.step == self.steps
