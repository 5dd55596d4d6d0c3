"""JSON as text: one member goes in or out, and every other character stays, comments included."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ....errors import InvalidInput

_BLANK = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_ATOM = re.compile(r"-?\d[\d.eE+-]*|true|false|null")
_BYTE_ORDER_MARK = "\ufeff"


@dataclass(slots=True)
class Node:
    """A value and where it stands."""

    start: int
    end: int
    value: Any
    members: list[Member] = field(default_factory=list)

    def member(self, key: str) -> Member | None:
        """The last of that name: the one that counts."""
        return next((member for member in reversed(self.members) if member.key == key), None)


@dataclass(slots=True)
class Member:
    key: str
    start: int
    node: Node
    comma: int | None
    """Where the comma behind it stands."""


def loads(text: str) -> Any:  # noqa: ANN401 - JSON
    return _parsed(text).value


def put(text: str, path: Sequence[str], value: Any) -> str:  # noqa: ANN401 - JSON
    """With `value` at `path`; objects on the way are made."""
    if not text.strip(_BYTE_ORDER_MARK + " \t\r\n"):
        return text.rstrip() + json.dumps(_nested(path, value), indent=2, ensure_ascii=False) + "\n"
    root = _object(_parsed(text), "the file")
    return _put(text, root, path, value, _unit(text, root))


def drop(text: str, path: Sequence[str]) -> str:
    """Without the member at `path`."""
    node = _object(_parsed(text), "the file")
    for key in path[:-1]:
        node = _object(_there(node, key).node, key)
    member = _there(node, path[-1])
    return _dropped(text, node, member)


# Reading ------------------------------------------------------------------------------------------


def _parsed(text: str) -> Node:
    try:
        reader = _Reader(text)
        node = reader.value()
    except RecursionError:
        raise InvalidInput("it is nested too deeply") from None
    if reader.peek():
        raise reader.broken()
    return node


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = int(text.startswith(_BYTE_ORDER_MARK))

    def peek(self) -> str:
        """The next character that counts."""
        blank = _BLANK.match(self.text, self.at)
        self.at = blank.end() if blank else self.at
        return self.text[self.at : self.at + 1]

    def broken(self) -> InvalidInput:
        line = self.text.count("\n", 0, self.at) + 1
        return InvalidInput(f"it is not JSON (line {line})")

    def take(self, pattern: re.Pattern[str]) -> Node:
        found = pattern.match(self.text, self.at)
        if found is None:
            raise self.broken()
        try:
            value = json.loads(found[0])
        except json.JSONDecodeError:
            raise self.broken() from None
        self.at = found.end()
        return Node(found.start(), found.end(), value)

    def value(self) -> Node:
        match self.peek():
            case "{":
                return self.mapping()
            case "[":
                return self.array()
            case '"':
                return self.take(_STRING)
        return self.take(_ATOM)

    def mapping(self) -> Node:
        node = Node(self.at, self.at, {})
        self.at += 1
        while self.peek() != "}":
            member = self.one_member()
            node.members.append(member)
            node.value[member.key] = member.node.value
            if member.comma is None and self.peek() != "}":
                raise self.broken()
        return self.closed(node)

    def one_member(self) -> Member:
        key = self.take(_STRING)
        if self.peek() != ":":
            raise self.broken()
        self.at += 1
        return Member(key.value, key.start, self.value(), self.comma())

    def array(self) -> Node:
        node = Node(self.at, self.at, [])
        self.at += 1
        while self.peek() != "]":
            node.value.append(self.value().value)
            if self.comma() is None and self.peek() != "]":
                raise self.broken()
        return self.closed(node)

    def comma(self) -> int | None:
        if self.peek() != ",":
            return None
        self.at += 1
        return self.at - 1

    def closed(self, node: Node) -> Node:
        self.at += 1
        node.end = self.at
        return node


# Changing -----------------------------------------------------------------------------------------


def _object(node: Node, what: str) -> Node:
    if not isinstance(node.value, dict):
        raise InvalidInput(f"{what} is not a JSON object")
    return node


def _there(node: Node, key: str) -> Member:
    member = node.member(key)
    if member is None:
        raise InvalidInput(f"{key!r} is not there")
    return member


def _nested(path: Sequence[str], value: Any) -> Any:  # noqa: ANN401 - JSON
    for key in reversed(path):
        value = {key: value}
    return value


def _put(text: str, node: Node, path: Sequence[str], value: Any, unit: str) -> str:  # noqa: ANN401 - JSON
    key, rest = path[0], path[1:]
    member = node.member(key)
    if member is None:
        return _inserted(text, node, key, _nested(rest, value), unit)
    if rest:
        return _put(text, _object(member.node, key), rest, value, unit)
    written = _dumped(text, value, unit, _indent(text, member.start))
    return text[: member.node.start] + written + text[member.node.end :]


def _inserted(text: str, node: Node, key: str, value: Any, unit: str) -> str:  # noqa: ANN401 - JSON
    """The new member stands last; what is between the former last one and the brace stays where it is."""
    last = node.members[-1] if node.members else None
    start, end = last.node.end if last else node.start + 1, node.end - 1
    tail = text[start:end]
    comma = "," if last and last.comma is None else ""
    if last and not _starts_its_line(text, last.start):
        written = json.dumps(value, ensure_ascii=False)
        return f"{text[:start]}{comma}{tail.rstrip()} {json.dumps(key)}: {written}{_trailing(tail)}{text[end:]}"
    outer = _indent(text, node.start)
    inner = _indent(text, last.start) if last else outer + unit
    line = _newline(text)
    member = f"{inner}{json.dumps(key)}: {_dumped(text, value, unit, inner)}"
    return f"{text[:start]}{comma}{tail.rstrip()}{line}{member}{line}{outer}{text[end:]}"


def _dropped(text: str, node: Node, member: Member) -> str:
    at = node.members.index(member)
    end = member.comma + 1 if member.comma is not None else member.node.end
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


def _unit(text: str, root: Node) -> str:
    first = root.members[0] if root.members else None
    return (_indent(text, first.start) if first and _starts_its_line(text, first.start) else "") or "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _indent(text: str, at: int) -> str:
    """The white space its line begins with."""
    line = text[_line_start(text, at) : at].lstrip(_BYTE_ORDER_MARK)
    return line[: len(line) - len(line.lstrip())]


def _starts_its_line(text: str, at: int) -> bool:
    return not text[_line_start(text, at) : at].strip(_BYTE_ORDER_MARK + " \t")


def _trailing(tail: str) -> str:
    return tail[len(tail.rstrip()) :]


def merged(data: Mapping[str, Any], path: Sequence[str], value: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """What the data must be after a `put`."""
    key, rest = path[0], path[1:]
    return {**data, key: merged(data.get(key, {}), rest, value) if rest else value}
