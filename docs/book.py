"""Adjusts and checks the links of the book.

Without an argument, this is a preprocessor of mdBook. It converts links to files outside docs to plain text.
`check FOLDER` fails if a link of the built book refers to a missing file or heading.
"""
import json
import os
import re
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")
# Pages that mdBook generates, and that repeat the content of other pages.
SKIPPED = {"print.html", "toc.html", "404.html"}


def is_outside(page, link):
    target = urlsplit(link)
    path = os.path.normpath(os.path.join(os.path.dirname(page), target.path))
    return not target.scheme and path.startswith("..")


def without_outside_links(value):
    if isinstance(value, list):
        for element in value:
            without_outside_links(element)
    elif isinstance(value, dict):
        if isinstance(value.get("content"), str) and value.get("path"):
            def text(match):
                if is_outside(value["path"], match[2]):
                    return match[1]
                # mdBook converts README.md to index.html.
                return match[0].replace("README.md", "index.md")

            value["content"] = LINK.sub(text, value["content"])
        for member in value.values():
            without_outside_links(member)


class Page(HTMLParser):
    """The ids and the links of a page."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links = set(), []
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.ids.update(attributes[name] for name in ("id", "name") if attributes.get(name))
        link = attributes.get("src") if tag in ("img", "script") else attributes.get("href")
        if link:
            self.links.append(link)


def check(folder):
    names = [os.path.join(at, name) for at, _, files in os.walk(folder) for name in files if name.endswith(".html")]
    pages = {os.path.relpath(name, folder): Page(name) for name in names}
    broken, links = [], 0
    for page, content in sorted(pages.items()):
        for link in content.links:
            target = urlsplit(link)
            if page in SKIPPED or target.scheme or target.netloc:
                continue
            links += 1
            path = os.path.normpath(os.path.join(os.path.dirname(page), unquote(target.path))) if target.path else page
            if os.path.isdir(os.path.join(folder, path)):
                path = os.path.normpath(os.path.join(path, "index.html"))
            anchors = pages[path].ids if path in pages else set()
            if not os.path.exists(os.path.join(folder, path)):
                broken.append(f"{page}: {link} leads to no file")
            elif path in pages and target.fragment and unquote(target.fragment) not in anchors:
                broken.append(f"{page}: {link} leads to no heading")
    for line in broken:
        print(line, file=sys.stderr)
    print(f"{links} links in {len(pages)} pages, {len(broken)} of them broken")
    return not broken and links > 500


if sys.argv[1:2] == ["check"]:
    sys.exit(0 if check(sys.argv[2]) else 1)
elif sys.argv[1:2] != ["supports"]:
    _, book = json.load(sys.stdin)
    without_outside_links(book)
    json.dump(book, sys.stdout)
