"""Makes the pictures of the page in docs/images/: each view, light and dark, and a short walk, from the demo year.

Run: .venv/bin/python scripts/make_screenshots.py [--out FOLDER] [VIEW ...]. It needs Chromium and Playwright.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Browser, Page, sync_playwright

from recollect import Recollect, config, demo

ROOT = Path(__file__).parents[1]
SIZE = {"width": 1200, "height": 800}
WALK_SIZE = {"width": 960, "height": 640}
FRAME_MS = 1600
DAYS = 20
MOST_WALK_BYTES = 2_000_000
QUESTION = quote("Where does Tamsin live?")
TALK = "spring clean"
MESSAGES = [
    {"role": "user", "content": "I keep the bicycle pump in the cellar. My sister Clara lives in Ghent."},
    {"role": "assistant", "content": "Noted. Is there anything else to put away?"},
    {"role": "user", "content": "I work at Harbour Atlas."},
    {"role": "assistant", "content": "Then the office keys belong on the hook by the door."},
]
LATER = [
    {"role": "user", "content": "My sister Clara lives in Bruges now. I work at Harbour Atlas."},
    {"role": "assistant", "content": "I changed Clara's town to Bruges."},
]

# view → its address, and what is there once it is drawn
VIEWS = {
    "home": ("#/home", ".statement"),
    "ask": (f"#/ask?q={QUESTION}", ".hit"),
    "conversation": (f"#/conversations/{quote(TALK)}", ".message"),
    "browse": ("#/browse", ".card"),
    "graph": ("#/graph?name=Tamsin", ".graph a"),
    "log": ("#/log", "main a.open, main .recalls, main li"),
    "manage": ("#/manage", "main h2"),
    "overview": ("#/overview", ".tiles"),
}


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--out", type=Path, default=ROOT / "docs" / "images")
    asked.add_argument("views", nargs="*", default=[*VIEWS, "walk"])
    given = asked.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, _served(Path(folder)) as link, sync_playwright() as playwright:
        chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        pages = {theme: _entered(browser, link(), theme, SIZE) for theme in ("light", "dark")}
        for view in given.views:
            for theme, page in pages.items() if view != "walk" else ():
                _open(page, *VIEWS[view])
                page.screenshot(path=given.out / f"{view}-{theme}.png")
        if "walk" in given.views:
            _walk(_entered(browser, link(), "light", WALK_SIZE), given.out / "walk.png")
        browser.close()


@contextmanager
def _served(folder: Path) -> Iterator[object]:
    """The demo year on a server. Gives a function that makes login links."""
    path = folder / "demo.db"
    with Recollect(path, namespace=demo.namespace()) as mind:
        demo.load(mind)
        mind.ingest(MESSAGES, session_id=TALK, at="2026-05-03T10:00:00Z")
        mind.ingest(LATER, session_id="summer plans", at="2026-07-05T18:00:00Z")
        _asked(mind.acting(actor="assistant"))
    clean = {name: value for name, value in os.environ.items() if not name.startswith(config.PREFIX)}
    place = ["--db", str(path), "--namespace", demo.namespace()]
    recollect = [sys.executable, "-m", "recollect", "serve", *place]
    settings = {"cwd": folder, "env": clean | {"XDG_CONFIG_HOME": str(folder)}, "text": True}
    server = subprocess.Popen([*recollect, "--port", "0", "--json"], stdout=subprocess.PIPE, **settings)
    try:
        told = _announced(server)
        yield lambda: (told["url"], told["key"])
    finally:
        server.terminate()
        server.communicate(timeout=30)


def _asked(mind: Recollect) -> None:
    """Questions of the last weeks, some of them with feedback."""
    questions, now = demo.questions(), datetime.now(UTC)
    for day in range(DAYS, -1, -1):
        for question in questions[day % 3 :: len(questions) // 3]:
            found = mind.recall(question.text, limit=3, at=now - timedelta(days=day))
            if found.hits and day % 4:
                mind.feedback(found.id, [hit.memory.id for hit in found.hits[: day % 3 + 1]], "helped")


def _announced(server: subprocess.Popen[str]) -> dict[str, str]:
    lines = []
    for line in server.stdout or ():
        lines.append(line)
        if line.startswith("}"):
            return dict(json.loads("".join(lines)))
    raise SystemExit("the server ended before it said where it is")


def _entered(browser: Browser, place: tuple[str, str], theme: str, size: dict[str, int]) -> Page:
    url, key = place
    context = browser.new_context(viewport=size, color_scheme=theme, reduced_motion="reduce")
    context.set_default_timeout(60_000)
    context.request.post(f"{url}/v1/session", data={"key": key})
    page = context.new_page()
    page.goto(f"{url}/#/home")
    return page


def _open(page: Page, address: str, there: str) -> None:
    page.evaluate("to => { location.hash = to }", address)
    page.wait_for_selector(there)
    page.wait_for_function("() => !document.querySelector('[aria-busy]')")
    page.evaluate("scrollTo(0, 0)")


# The walk -----------------------------------------------------------------------------------------


def _walk(page: Page, path: Path) -> None:
    """A statement and its story, another day, the words in their conversation, a question, the log."""
    frames = []

    def shoot() -> None:
        page.wait_for_function("() => !document.querySelector('[aria-busy]')")
        frames.append(page.screenshot())

    _open(page, "#/home?subject=Tamsin", ".statement")
    shoot()
    page.locator(".statement-line").first.click()
    page.wait_for_selector(".steps li")
    shoot()
    _open(page, "#/home?subject=Tamsin&as_of=2026-03-01", ".statement")
    shoot()
    _open(page, *VIEWS["conversation"])
    shoot()
    _open(page, *VIEWS["ask"])
    shoot()
    _open(page, *VIEWS["log"])
    shoot()
    path.write_bytes(animated(frames, FRAME_MS))
    size = path.stat().st_size
    if size > MOST_WALK_BYTES:
        raise SystemExit(f"{path} has {size:,} bytes: at most {MOST_WALK_BYTES:,} are wanted")


def animated(frames: list[bytes], ms: int) -> bytes:
    """An animated PNG of pictures of one size, repeated for ever."""
    head, number = _chunks(frames[0])[0], 0
    made = [head, (b"acTL", struct.pack(">II", len(frames), 0))]
    width, height = struct.unpack(">II", head[1][:8])
    for at, frame in enumerate(frames):
        control = struct.pack(">IIIIIHHBB", number, width, height, 0, 0, ms, 1000, 0, 0)
        made.append((b"fcTL", control))
        number += 1
        data = b"".join(content for kind, content in _chunks(frame) if kind == b"IDAT")
        if at == 0:
            made.append((b"IDAT", data))
        else:
            made.append((b"fdAT", struct.pack(">I", number) + data))
            number += 1
    made.append((b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, content) for kind, content in made)


def _chunks(picture: bytes) -> list[tuple[bytes, bytes]]:
    found, at = [], 8
    while at < len(picture):
        (length,) = struct.unpack(">I", picture[at : at + 4])
        found.append((picture[at + 4 : at + 8], picture[at + 8 : at + 8 + length]))
        at += length + 12
    return found


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


if __name__ == "__main__":
    main()
