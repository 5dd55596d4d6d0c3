"""The page's files need nothing from other hosts and never insert text as markup."""

import re
from importlib.resources import files

import pytest

PAGE = files("recollect.serve") / "inspector"


def _below(folder):
    for each in folder.iterdir():
        if each.is_dir():
            yield from _below(each)
        else:
            yield each


FILES = {str(each).removeprefix(f"{PAGE}/"): each.read_text(encoding="utf-8") for each in _below(PAGE)}
MODULES = sorted(name for name in FILES if name.endswith(".js"))


def test_the_page_has_neither_script_nor_style_inside():
    page = FILES["index.html"]
    assert not re.search(r"<style|\sstyle=|\son\w+=", page)
    assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", page))


@pytest.mark.parametrize("name", MODULES)
def test_no_module_puts_text_in_as_markup(name):
    banned = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|setAttribute\(\"style"
    assert not re.search(banned, FILES[name])


def test_no_file_names_another_host():
    named = {name: re.findall(r"https?://[^\s\"'`]+", text) for name, text in FILES.items()}
    assert {host for hosts in named.values() for host in hosts} <= {"http://www.w3.org/2000/svg"}


def test_every_module_is_used():
    page = FILES["index.html"]
    imported = {path.rpartition("/")[2] for text in FILES.values() for path in re.findall(r'from "([^"]+)"', text)}
    assert {name.rpartition("/")[2] for name in MODULES} - imported == {"app.js"}
    assert "/inspector/app.js" in page


@pytest.mark.parametrize("name", MODULES)
def test_no_module_is_long(name):
    assert len(FILES[name].splitlines()) < 400
