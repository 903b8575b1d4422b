"""What the scripts of long campaigns have in common: arguments, and a report that says what is missing."""
import os
import pathlib

from . import common


def argument_parser(description, name, models=None, texts=None, tables=None):
    """Arguments of the campaign `name`. models, texts, tables: names of which a part may be asked for."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    parser = common.argument_parser(description)
    parser.add_argument("--results", default=cache / "axelram" / "results" / name, metavar="DIR")
    for option, names, metavar in (("--models", models, "NAME"), ("--texts", texts, "NAME"), ("--tables", tables, "N")):
        if names:
            parser.add_argument(option, nargs="+", choices=names, default=list(names), metavar=metavar)
    parser.add_argument("--budget", type=float, metavar="SECONDS", help="no measurement begins after this time")
    return parser


def missing_note(store, what="rows"):
    """The section of a report that says what is missing; nothing if all is there."""
    if not store.missing:
        return ""
    return f"\n## Not measured yet\n\n{len(store.missing)} measurements, from which {what} above are missing.\n"


def publish(report, file, store, recorded):
    """Writes the record or prints the report. The script ends with an error if measurements are missing."""
    common.show(file, report, recorded)
    if store.missing:
        common.fail(f"{len(store.missing)} measurements are missing; run it again", 1)
