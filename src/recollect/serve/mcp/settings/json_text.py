"""Adds or removes one member in JSON text. All other characters stay the same, including comments."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....errors import InvalidInput

_STRING = r'"(?:[^"\\]|\\.)*"'
_COMMENT = re.compile(rf"{_STRING}|(?P<blank>^\ufeff|//[^\n]*|/\*.*?\*/)", re.DOTALL)
_LAST_COMMA = re.compile(rf"{_STRING}|(?P<blank>,(?=\s*[}}\]]))", re.DOTALL)
_SPACE = re.compile(r"[ \t\r\n]*")
_BYTE_ORDER_MARK = "\ufeff"
_decoded = json.JSONDecoder().raw_decode


@dataclass(frozen=True, slots=True)
class Member:
    key: str
    start: int
    value: int
    """The position where its value begins."""
    end: int
    comma: int | None
    """The position of the comma after it, or None."""

    @property
    def after(self) -> int:
        return self.end if self.comma is None else self.comma + 1


@dataclass(frozen=True, slots=True)
class Object:
    start: int
    end: int
    members: Sequence[Member]

    def member(self, key: str) -> Member | None:
        """The last member with this key. JSON parsers ignore earlier ones."""
        return next((member for member in reversed(self.members) if member.key == key), None)


class Source:
    """Parses JSON with comments and trailing commas. Spaces replace these, so that positions stay the same."""

    def __init__(self, text: str) -> None:
        self.without_comments = _blanked(_COMMENT, text)
        self.strict = _blanked(_LAST_COMMA, self.without_comments)
        try:
            self.data = json.loads(self.strict, parse_constant=_refuse)
        except json.JSONDecodeError as error:
            raise InvalidInput(f"it is not JSON (line {error.lineno})") from None
        except RecursionError:
            raise InvalidInput("it is nested too deeply") from None

    def root(self) -> Object:
        return self.object(_skip(self.strict, 0), "the file")

    def object(self, start: int, what: str) -> Object:
        if self.strict[start] != "{":
            raise InvalidInput(f"{what} is not a JSON object")
        members: list[Member] = []
        at = _skip(self.strict, start + 1)
        while self.strict[at] != "}":
            members.append(self._member(at))
            at = _skip(self.strict, members[-1].after)
        return Object(start, at + 1, members)

    def _member(self, start: int) -> Member:
        key, end = _decoded(self.strict, start)
        value = _skip(self.strict, _skip(self.strict, end) + 1)
        _, end = _decoded(self.strict, value)
        comma = _skip(self.without_comments, end)
        return Member(key, start, value, end, comma if self.without_comments[comma] == "," else None)


def _refuse(constant: str) -> None:
    raise InvalidInput(f"it is not JSON ({constant})")


def _blanked(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[0]) if found["blank"] else found[0], text)


def _skip(text: str, at: int) -> int:
    """The next position that is not white space."""
    found = _SPACE.match(text, at)
    return found.end() if found else at


def loads(text: str) -> Any:  # noqa: ANN401 - JSON
    return Source(text).data


def put(text: str, path: Sequence[str], value: Any) -> str:  # noqa: ANN401 - JSON
    """The text with `value` at `path`. Missing objects on the path are created."""
    if not text.strip(_BYTE_ORDER_MARK + " \t\r\n"):
        return text.rstrip() + json.dumps(_nested(path, value), indent=2, ensure_ascii=False) + "\n"
    source = Source(text)
    node = source.root()
    unit = _unit(text, node)
    *folders, name = path
    for depth, key in enumerate(folders):
        member = node.member(key)
        if member is None:
            return _inserted(text, node, key, _nested(path[depth + 1 :], value), unit)
        node = source.object(member.value, key)
    member = node.member(name)
    if member is None:
        return _inserted(text, node, name, value, unit)
    return text[: member.value] + _dumped(text, value, unit, _indent(text, member.start)) + text[member.end :]


def drop(text: str, path: Sequence[str]) -> str:
    """The text without the member at `path`."""
    source = Source(text)
    node = source.root()
    for key in path[:-1]:
        node = source.object(_there(node, key).value, key)
    return _dropped(text, node, _there(node, path[-1]))


def _there(node: Object, key: str) -> Member:
    member = node.member(key)
    if member is None:
        raise InvalidInput(f"{key!r} is not there")
    return member


def _nested(path: Sequence[str], value: Any) -> Any:  # noqa: ANN401 - JSON
    for key in reversed(path):
        value = {key: value}
    return value


def _inserted(text: str, node: Object, key: str, value: Any, unit: str) -> str:  # noqa: ANN401 - JSON
    """Inserts the new member as the last one. Text between the former last member and the brace stays in place."""
    last = node.members[-1] if node.members else None
    start, end = last.end if last else node.start + 1, node.end - 1
    tail = text[start:end]
    comma = "," if last and last.comma is None else ""
    if last and not _starts_its_line(text, last.start) and "//" not in tail:
        written = json.dumps(value, ensure_ascii=False)
        return f"{text[:start]}{comma}{tail.rstrip()} {json.dumps(key)}: {written}{_trailing(tail)}{text[end:]}"
    outer = _indent(text, node.start)
    inner = _indent(text, last.start) if last else outer + unit
    line = _newline(text)
    member = f"{inner}{json.dumps(key)}: {_dumped(text, value, unit, inner)}"
    return f"{text[:start]}{comma}{tail.rstrip()}{line}{member}{line}{outer}{text[end:]}"


def _dropped(text: str, node: Object, member: Member) -> str:
    at = node.members.index(member)
    end = member.after
    before = node.members[at - 1].comma if at and member.comma is None else None
    start = _line_start(text, member.start) if _starts_its_line(text, member.start) else member.start
    if start and text[end : end + 2].lstrip("\r").startswith("\n") and start != member.start:
        end = text.index("\n", end) + 1
    kept = text[:start]
    if before is not None:
        kept = kept[:before] + kept[before + 1 :]
    return kept + text[end:]


def _dumped(text: str, value: Any, unit: str, indent: str) -> str:  # noqa: ANN401 - JSON
    lines = json.dumps(value, indent=unit, ensure_ascii=False).split("\n")
    return (_newline(text) + indent).join(lines)


def _unit(text: str, root: Object) -> str:
    first = root.members[0] if root.members else None
    return (_indent(text, first.start) if first and _starts_its_line(text, first.start) else "") or "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _indent(text: str, at: int) -> str:
    """The white space at the beginning of the line."""
    line = text[_line_start(text, at) : at].lstrip(_BYTE_ORDER_MARK)
    return line[: len(line) - len(line.lstrip())]


def _starts_its_line(text: str, at: int) -> bool:
    return not text[_line_start(text, at) : at].strip(_BYTE_ORDER_MARK + " \t")


def _trailing(tail: str) -> str:
    return tail[len(tail.rstrip()) :]


def merged(data: Mapping[str, Any], path: Sequence[str], value: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """The data that a text must have after a `put`."""
    key, rest = path[0], path[1:]
    return {**data, key: merged(data.get(key, {}), rest, value) if rest else value}
