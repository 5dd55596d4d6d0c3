"""Explanations: a value with the formula and the parts that it was computed from.

A formula is plain arithmetic over the names of the parts, so anybody can check it:
`explanation.recompute()` evaluates the formula again and must give `explanation.value`.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

Parts: TypeAlias = "tuple[Explanation, ...]"

_FUNCTIONS: dict[str, Callable[..., float]] = {
    "exp": math.exp,
    "ln": math.log,
    "min": min,
    "max": max,
}
_OPERATORS: dict[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


class Explanation:
    """A `value`, and the `formula` over the named `parts` that gives it. Without a formula, the value is an input.

    Parts may be given as a function, which is called only if the parts are read: a recall scores hundreds
    of candidates and explains five.
    """

    __slots__ = ("_parts", "formula", "name", "note", "value")

    def __init__(
        self,
        name: str,
        value: float,
        formula: str = "",
        parts: Parts | Callable[[], Parts] = (),
        note: str = "",
    ) -> None:
        self.name = name
        self.value = value
        self.formula = formula
        self.note = note
        self._parts = parts

    @property
    def parts(self) -> Parts:
        if callable(self._parts):
            self._parts = self._parts()
        return self._parts

    def named(self, name: str) -> Explanation:
        """The same explanation under another name."""
        return Explanation(name, self.value, self.formula, lambda: self.parts, self.note)

    def noted(self, note: str) -> Explanation:
        """The same explanation with another note added."""
        notes = "; ".join(filter(None, (self.note, note)))
        return Explanation(self.name, self.value, self.formula, lambda: self.parts, notes)

    def recompute(self) -> float:
        """Computes the value again from the formula and the recomputed parts."""
        if not self.formula:
            return self.value
        return evaluate(self.formula, {part.name: part.recompute() for part in self.parts})

    def walk(self) -> Iterator[Explanation]:
        """This node and all nodes below it, depth first."""
        yield self
        for part in self.parts:
            yield from part.walk()

    def find(self, name: str) -> Explanation | None:
        """The first node with that name, or None."""
        return next((node for node in self.walk() if node.name == name), None)

    def to_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = {"name": self.name, "value": self.value}
        if self.formula:
            found["formula"] = self.formula
        if self.note:
            found["note"] = self.note
        if self.parts:
            found["parts"] = [part.to_dict() for part in self.parts]
        return found

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Explanation:
        parts = tuple(cls.from_dict(part) for part in data.get("parts", ()))
        return cls(data["name"], data["value"], data.get("formula", ""), parts, data.get("note", ""))

    def __repr__(self) -> str:
        return f"Explanation({self.name}={self.value:.6g}{' = ' + self.formula if self.formula else ''})"


def evaluate(formula: str, names: Mapping[str, float]) -> float:
    """Evaluates plain arithmetic over names; everything else is refused."""
    return _evaluate(ast.parse(formula, mode="eval").body, names)


def _evaluate(node: ast.expr, names: Mapping[str, float]) -> float:
    match node:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id=name):
            return names[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_evaluate(operand, names)
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATORS[type(op)](_evaluate(left, names), _evaluate(right, names))
        case ast.Call(func=ast.Name(id=name), args=args):
            return _FUNCTIONS[name](*(_evaluate(arg, names) for arg in args))
    raise ValueError(f"not plain arithmetic: {ast.unparse(node)}")
