"""Who may see and do what."""

import pytest

from recollect.namespaces import common
from recollect.serve.scope import ROLES, Scope


@pytest.mark.parametrize(
    ("path", "inside"),
    [
        ("acme/x", True),
        ("acme/x/deep/er", True),
        ("acme", False),
        ("acme/xy", False),
        ("acme/y", False),
        ("other/acme/x", False),
        ("ACME/x", False),
        ("", False),
    ],
)
def test_a_scope_is_its_namespace_and_all_below(path, inside):
    assert Scope(namespace="acme/x", role="read").admits(path) is inside


def test_each_role_may_do_what_the_one_before_it_may():
    allowed = {role: [wanted for wanted in ROLES if Scope(namespace="a", role=role).may(wanted)] for role in ROLES}
    assert allowed == {"read": ["read"], "write": ["read", "write"], "admin": ["read", "write", "admin"]}


@pytest.mark.parametrize(
    ("paths", "nearest"),
    [
        (["a/b/c"], "a/b/c"),
        (["a/b/c", "a/b"], "a/b"),
        (["a/b", "a/b/c"], "a/b"),
        (["a/b", "a/bc"], "a"),
        (["a/b/c", "a/b/d", "a/x"], "a"),
        (["a", "b"], "a"),
    ],
)
def test_the_common_parent_of_several_namespaces(paths, nearest):
    assert common(paths) == nearest
