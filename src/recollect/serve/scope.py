"""Namespaces, roles and callers: who may see and do what. Pure functions on names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from ..namespaces import is_within

Role = Literal["read", "write", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)
"""Each role includes the rights of those before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """A namespace with all namespaces below it, and the role there."""

    namespace: str
    role: Role

    def admits(self, namespace: str) -> bool:
        return is_within(namespace, self.namespace)

    def may(self, role: Role) -> bool:
        return ROLES.index(role) <= ROLES.index(self.role)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who sends a request."""

    name: str
    """The actor in the log and the origin of the memories they write, such as `key:laptop`."""
    scope: Scope
    trust: str = "agent"
