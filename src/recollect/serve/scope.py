"""Who may see and do what. Pure: decides on names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from ..namespaces import is_within

Role = Literal["read", "write", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)
"""Each may do what the one before it may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """A namespace with all below it, and what may be done there."""

    namespace: str
    role: Role

    def admits(self, namespace: str) -> bool:
        return is_within(namespace, self.namespace)

    def may(self, role: Role) -> bool:
        return ROLES.index(role) <= ROLES.index(self.role)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Somebody at the desk."""

    name: str
    """The actor in the logs and the origin of what they write, such as `key:laptop`."""
    scope: Scope
    trust: str = "agent"
