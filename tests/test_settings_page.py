from dataclasses import fields
from pathlib import Path

from recollect.config import Settings

PAGE = Path(__file__).parent.parent / "docs" / "settings.md"


def test_the_page_names_every_setting():
    page = PAGE.read_text(encoding="utf-8")
    assert [field.name for field in fields(Settings) if f"`{field.name}`" not in page] == []
