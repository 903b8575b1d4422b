"""How trainers of CoDA begin, go on after a kill, and end."""

import pathlib

import torch

from byte_coda import checkpoint, memory
from byte_coda.training import Training
from byte_llama.arguments import not_negative, positive


def add_arguments(parser, report_every):
    parser.number("--report-every", report_every, "seconds between reports", not_negative)
    parser.number("--save-every", 120, "seconds between states", not_negative)
    parser.add_argument(
        "--stop-after", metavar="STEP", type=positive, help="write the state and stop there"
    )
    parser.add_argument(
        "--library", type=pathlib.Path, default=memory.LIBRARY, help=f"({memory.LIBRARY})"
    )


def load(options, differential, spec):
    """The model to start from, with its memories in place."""
    gated = spec is not None and spec.has_banks
    model = checkpoint.load(options.start, differential, gated)
    if spec is not None:
        model.set_memories(memory.of_model(options.library, spec, model.shape))
    return model


def recipe_of(options, keys):
    """What decides the weights; the model to start from by name and digest."""
    recipe = {key: getattr(options, key) for key in keys}
    if options.start is not None:
        recipe["start"] = options.start.resolve().name
        recipe["start_sha256"] = checkpoint.digest(options.start)
    return recipe


def state_of(options):
    return options.out.with_name(options.out.name + ".training")


def begun(model, recipe, options, seed, notes):
    """The training, where its state says, and the generator of its batches."""
    training = Training(model, recipe, options.steps, options.rate, options.own_factor)
    training.notes = notes
    generator = torch.Generator().manual_seed(seed)
    if training.resume(state_of(options), generator):
        print(f"goes on from step {training.step} of {state_of(options)}", flush=True)
    return training, generator


def finished(training, generator, loss, report, options):
    """Whether the last step is done. The model is then as it will be stored, and is so judged."""
    every = options.save_every, options.report_every
    if not training.run(loss, state_of(options), generator, *every, report, options.stop_after):
        print(f"stopped after step {training.step}; the same command goes on", flush=True)
        return False
    training.model.half().float()
    return True


def save(training, options, name, judged):
    recipe = training.recipe | {"seconds": round(training.seconds), "threads": options.threads}
    recipe |= {"device": options.device, "pytorch": torch.__version__, name: judged}
    checkpoint.save(training.model, options.out, options.memory, recipe)
    state_of(options).unlink(missing_ok=True)
    print(options.out)
