#!/usr/bin/env python3
"""Pages of `axelram datasheet` in a headless Chromium.

page_test.py PROGRAM --folder DIR [--root DIR] [NAME...]   pages of configurations (default: one of each kind)
page_test.py PROGRAM --picture FILE.png      the top of the first page, for docs/images; --page FILE.html: of a page that is
                                             there, checked as well; --section ID: from that section on; --height PIXELS
page_test.py --self-test                     plants each fault into a page and demands that it is found

A page must make no request, report nothing on the console, fit the width of its window at 1280, 768 and 390 pixels,
light and dark; its links and references must lead somewhere, its drawings must have a title and hold their texts.
Screenshots of the first page are written to DIR. Exit codes: 0 holds, 1 does not, 77 no Chromium or matplotlib.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import chromium

WINDOWS = ((1280, "light"), (1280, "dark"), (768, "light"), (390, "light"), (390, "dark"))
TRACE = "traces/byte-llama-d128.safetensors"
# Configuration, and whether it takes the bundled trace: plain, prod, split, trellis, exact, code, folded, center.
KINDS = (("paper-d128-b3", True), ("d128-b3-prod", True), ("d32-split31-trellis-folded", False), ("d64-b3-trellis", False),
         ("d128-best", True), ("d32-b3-exact-folded", False), ("d32-b3-golay24", False), ("d32-b3-folded", False),
         ("d128-b3-center", False))

# What is wrong in the page, as a list of texts.
PROBLEMS = """(() => {
  const found = [], ids = new Map();
  for (const element of document.querySelectorAll('[id]')) ids.set(element.id, (ids.get(element.id) || 0) + 1);
  for (const [id, count] of ids) if (count > 1) found.push(`id ${id}: ${count} times`);
  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) found.push(`${wide} pixels wide in a window of ${innerWidth}`);
  for (const link of document.querySelectorAll('a')) {
    const target = link.getAttribute('href');
    if (!target.startsWith('#')) found.push(`link out of the page: ${target}`);
    else if (!ids.has(target.slice(1))) found.push(`link to nothing: ${target}`);
  }
  const text = document.documentElement.outerHTML;
  for (const [, id] of text.matchAll(/url\\(&quot;#([^&]+)&quot;\\)|url\\(#([^)]+)\\)/g))
    if (id && !ids.has(id)) found.push(`reference to nothing: ${id}`);
  for (const use of document.querySelectorAll('use'))
    if (!ids.has(use.getAttribute('href').slice(1))) found.push(`use of nothing: ${use.getAttribute('href')}`);
  for (const label of document.querySelectorAll('[aria-labelledby]'))
    for (const id of label.getAttribute('aria-labelledby').split(' '))
      if (!ids.has(id)) found.push(`label from nothing: ${id}`);
  for (const drawing of document.querySelectorAll('svg')) {
    const title = drawing.querySelector('title');
    if (!title || !title.textContent) found.push('a drawing without a title');
    const place = drawing.getBoundingClientRect();
    if (place.width === 0) continue;  // that of another width
    const scale = place.width / drawing.viewBox.baseVal.width;
    for (const one of drawing.querySelectorAll('text')) {
      const own = one.getBoundingClientRect(), slack = 3 * scale + 1;
      if (own.left < place.left - slack || own.right > place.right + slack || own.top < place.top - slack ||
          own.bottom > place.bottom + slack)
        found.push(`text outside its drawing: ${one.textContent} in ${title ? title.textContent : ''}`);
    }
  }
  for (const name of ['script', 'iframe', 'img', 'object', 'embed', 'link:not([rel=icon])'])
    if (document.querySelector(name)) found.push(`an element ${name}`);
  return found;
})()"""


def problems(browser, page, windows=WINDOWS):
    for width, scheme in windows:
        browser.view(width, 900, scheme)
        browser.open(page)
        found = browser.value(PROBLEMS)
        for event in browser.events:
            if event["method"] == "Network.requestWillBeSent":
                url = event["params"]["request"]["url"]
                if url != pathlib.Path(page).resolve().as_uri() and not url.startswith("data:"):
                    found.append(f"a request: {url}")
            else:
                found.append(f"on the console: {event['method']} {str(event['params'])[:200]}")
        yield from (f"{width} {scheme}: {one}" for one in found)


def made(arguments, name, traced):
    page = arguments.folder / f"{name}.html"
    command = [arguments.program, "datasheet", name, *([arguments.root / TRACE] if traced else []), "-o", page, "--force"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 3:
        print(f"skipped: {done.stderr.strip()}")
        sys.exit(77)
    if done.returncode != 0:
        print(f"{name}: exit code {done.returncode}: {done.stderr.strip()}")
        sys.exit(1)
    return page


def check(arguments):
    kinds = dict(KINDS)
    names = arguments.names or list(kinds)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    count = 0
    with chromium.browser() as browser:
        for number, name in enumerate(names):
            page = made(arguments, name, kinds.get(name, False))
            # The first in every window, the others in two.
            for problem in problems(browser, page, WINDOWS if number == 0 else (WINDOWS[0], WINDOWS[-2])):
                print(f"{name}: {problem}")
                count += 1
            for width, scheme in WINDOWS if number == 0 else ():
                browser.view(width, 900, scheme)
                browser.screenshot(arguments.folder / f"{name}-{width}-{scheme}.png")
    print(f"{len(names)} pages, {count} problems")
    return count == 0


def picture(arguments):
    with tempfile.TemporaryDirectory() as folder, chromium.browser() as browser:
        arguments.folder = pathlib.Path(folder)
        page = arguments.page or made(arguments, *KINDS[0])
        found = list(problems(browser, page))
        browser.view(1280, arguments.height)
        browser.open(page)
        if arguments.section:
            browser.value(f"document.getElementById({arguments.section!r}).scrollIntoView({{behavior: 'instant'}})")
        browser.screenshot(arguments.picture, whole=False)
    print("\n".join(found))
    return not found


PAGE = """<!DOCTYPE html><html lang="en"><head><title>x</title><link rel="icon" href="data:,"></head>
<body id="top"><a href="#top">top</a><svg viewBox="0 0 100 20" width="100" role="img" aria-labelledby="t">
<title id="t">x</title><rect id="r" width="9" height="9"/><use href="#r"/><text x="5" y="15">a</text></svg>
<p>PLACE</p></body></html>"""
# What is planted, and a part of the problem.
PLANTED = (('<div style="width:3000px">x</div>', "pixels wide"), ('<a href="#none">x</a>', "link to nothing"),
           ('<a href="https://example.org">x</a>', "link out of the page"), ('<i id="top">x</i>', "id top: 2 times"),
           ('<svg viewBox="0 0 9 9"></svg>', "without a title"), ("<script>undefined.x</script>", "on the console"),
           ("<script>console.log(1)</script>", "on the console"), ('<img src="missing.png" alt="">', "a request"),
           ('<p aria-labelledby="none">x</p>', "label from nothing"),
           ('<svg viewBox="0 0 9 9"><title>y</title><use href="#none"/></svg>', "use of nothing"),
           ('<svg viewBox="0 0 50 9" width="50"><title>y</title><text x="40" y="5">too long a text</text></svg>',
            "text outside its drawing"))


def self_test():
    missed = 0
    with tempfile.TemporaryDirectory() as folder, chromium.browser() as browser:
        page = pathlib.Path(folder) / "page.html"
        for planted, part in (("", None), *PLANTED):
            page.write_text(PAGE.replace("PLACE", planted))
            found = list(problems(browser, page, WINDOWS[:1]))
            if (part is None and found) or (part is not None and not any(part in one for one in found)):
                print(f"planted {planted!r}: found {found}")
                missed += 1
    print(f"{len(PLANTED)} faults planted, {missed} missed")
    return missed == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent.parent)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("datasheets"))
    parser.add_argument("--picture", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--section")
    parser.add_argument("--height", type=int, default=1340)
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if chromium.program() is None:
        print("skipped: no Chromium (Debian: apt-get install chromium)")
        return 77
    run = self_test if arguments.self_test else picture if arguments.picture else check
    return 0 if (run() if arguments.self_test else run(arguments)) else 1


if __name__ == "__main__":
    sys.exit(main())
