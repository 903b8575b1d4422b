"""The page: head, contents, sections and their parts."""
import pathlib

import tables
from diagrams import diagram
from drawing import settings
from numbers_of_page import MEANINGS, capital, escaped, mark, marked

STYLE = pathlib.Path(__file__).with_name("style.css")


def part_html(part, name):
    if part["part"] == "diagram":
        return diagram(part, name)
    title = f"<h3>{marked(capital(part['title']), part.get('method'))}</h3>" if part["title"] else ""
    if not title and part.get("method"):
        title = f'<p class="method-line">{mark(part["method"])} {escaped(MEANINGS[part["method"]])}</p>'
    content = {"figures": tables.figures, "matrix": tables.matrix, "table": tables.table}[part["part"]](part)
    return f'{title}<div class="scroll">{content}</div>'


def section_html(section):
    parts = "".join(part_html(part, f"{section['id']}-{number}") for number, part in enumerate(section["parts"]))
    return (f'<section id="{section["id"]}" aria-labelledby="{section["id"]}-heading">'
            f'<h2 id="{section["id"]}-heading">{escaped(section["title"])}</h2>'
            f'<p class="lead">{escaped(section["text"])}</p>{parts}</section>')


def contents(sections):
    items = "".join(f'<li><a href="#{section["id"]}">{escaped(section["title"])}</a></li>' for section in sections)
    return f'<nav aria-label="Contents"><p><a href="#top">Contents</a></p><ol>{items}</ol></nav>'


def legend():
    words = {"counted": "counted", "measured": "measured", "estimated": "estimated", "n/a": "not available"}
    return ('<p class="legend">Marks: ' + ", ".join(f"{mark(method)} {word}" for method, word in words.items()) +
            ' — <a href="#provenance">explained below</a>.</p>')


def page(facts):
    settings()
    name = escaped(facts["configuration"])
    commit = f', commit <code>{escaped(facts["commit"])}</code>' if facts["commit"] else ""
    highlights = "".join(tables.highlight(figure) for figure in facts["highlights"])
    sections = "".join(section_html(section) for section in facts["sections"])
    style = STYLE.read_text(encoding="utf-8")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{name}: datasheet</title>
<link rel="icon" href="data:,">
<style>
{style}</style>
</head>
<body id="top">
<header>
<p class="kind">axelram datasheet</p>
<h1>{name}</h1>
<p class="summary">{escaped(facts["summary"])}</p>
<dl class="highlights">{highlights}</dl>
{legend()}
</header>
{contents(facts["sections"])}
<main>
{sections}
</main>
<footer><p>{name}: top <code>{escaped(facts["top"])}</code>, axelram {escaped(facts["version"])}{commit}.</p></footer>
</body>
</html>
"""
