"""What the scripts of long campaigns have in common: arguments, and a report that says what is missing."""
import itertools

from . import common
import places  # noqa: E402, of scripts/, which common adds
from .recorded import blocks_of


AS_TRAINED = "as trained"  # a model that nothing makes harder


def argument_parser(description, name, models=None, texts=None, tables=None, states=None):
    """Arguments of the campaign `name`. models (rows of models.of), texts, tables, states: names of which a part may be
    asked for. With states the rows of an earlier record are kept."""
    parser = common.argument_parser(description)
    parser.add_argument("--results", default=places.cache_home() / "axelram" / "results" / name, metavar="DIR")
    for option, names, metavar in (("--models", models, "NAME"), ("--texts", texts, "NAME"), ("--tables", tables, "N"),
                                   ("--states", states, "NAME")):
        if names:
            parser.add_argument(option, nargs="+", choices=names, default=list(names), metavar=metavar)
    parser.add_argument("--budget", type=float, metavar="SECONDS", help="no measurement begins after this time")
    parser.set_defaults(measured=models)
    parser.add_argument("--anew", action="store_true", help="measure what the record has, too")
    if not states:
        parser.set_defaults(states=[AS_TRAINED])
    return parser


def section(anchor, title, text):
    """A table below an anchor, by which pages cite its rows; nothing without a table."""
    return f'\n<a id="{anchor.lower()}"></a>\n### {title}\n\n{text.rstrip()}\n' if text else ""


def headings(measured, texts, states):
    """Of the parts of a record, in their order."""
    return [f"{name}, {text}{'' if state == AS_TRAINED else f', {state}'}"
            for name, text, state in itertools.product(measured, texts, states) if text in measured[name].texts]


def stands(anchor, model, text, store, recorded, arguments, folder=None):
    """True if the record has a table of a model and text of which there are no results here: it is not measured.
    folder: of its results, where it is not that of the model and the text."""
    return (not arguments.anew and anchor in recorded.blocks().get(f"{model}, {text}", {})
            and not store.has(folder or f"{model}/{text}"))


def with_recorded(body, recorded, order):
    """The body of a report with those tables of the record that it has not; `order`: headings of all parts."""
    new, old = blocks_of(body), recorded.blocks()
    whole = ""
    for heading in order:
        blocks = {**old.get(heading, {}), **new.get(heading, {})}
        whole += f"\n## {heading}\n{''.join(blocks[anchor] for anchor in sorted(blocks))}" if blocks else ""
    return whole


def body_of(arguments, sections):
    """The report of sections(model, text, state), a part for each model, text and state that has one."""
    body = ""
    for model, text, state in itertools.product(arguments.models, arguments.texts, arguments.states):
        if text not in arguments.measured[model].texts:
            continue
        if parts := "".join(sections(model, text, state)):
            body += f"\n## {headings({model: arguments.measured[model]}, [text], [state])[0]}\n{parts}"
    return body


def missing_note(store, what="rows"):
    """The section of a report that says what is missing; nothing if all is there."""
    unmeasured, note = store.unmeasured(), ""
    if unmeasured:
        note += f"\n## Not measured yet\n\n{len(unmeasured)} measurements, from which {what} above are missing.\n"
    if store.absent:
        note += f"\n## Models that were not there\n\nTheir rows were not measured: {', '.join(sorted(store.absent))}.\n"
    return note


def publish(report, file, store, recorded):
    """Writes the record or prints the report. The script ends with an error if measurements are missing."""
    common.show(file, report, recorded)
    if missing := store.unmeasured():
        common.fail(f"{len(missing)} measurements are missing; run it again", 1)
