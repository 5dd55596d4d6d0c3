"""The names people rely on, and which module may lean on which."""

import ast
import re
from pathlib import Path

import pytest
from inspect_store import python

import recollect

PACKAGE = Path(recollect.__file__).parent
BASE = {
    *("types", "errors", "explanation", "config", "ids", "namespaces", "progress", "http", "forks", "trusted"),
    "extras",
}
PARTS = {"checks", "recipes", "store", "embedders", "readers", "extractors", "text"}
PATHS = {"write", "read", "tend", "keep", "chat"}
SURFACES = {
    *("cli", "serve", "client", "bench", "adapters", "imports", "hooks", "demo", "testing", "__main__"),
    "",
}
LEVEL = {
    **dict.fromkeys(BASE, 0),
    **dict.fromkeys(PARTS, 1),
    **dict.fromkeys(PATHS, 2),
    "recollect": 3,
    "wide_calls": 3,
    **dict.fromkeys(SURFACES, 4),
}
IMPURE = {
    *(f"read/{name}.py" for name in ("path", "fetch", "ids", "reasons", "record", "select", "trace")),
    *(f"read/{name}.py" for name in ("brief", "event_log", "graph", "log", "matching", "sessions")),
    "read/profile/fetch.py",
    *(f"write/{name}.py" for name in ("path", "items", "merging", "nearby", "said_in", "tools", "updates")),
    *(f"write/build/{name}.py" for name in ("embed", "put", "views")),
    *(f"write/conversations/{name}.py" for name in ("ingest", "many", "restate", "transcripts")),
    "write/documents/ingest.py",
    *(f"write/changes/{name}.py" for name in ("edit", "follow", "joined", "leave", "leaving", "many")),
    *(f"write/changes/{name}.py" for name in ("pages", "purge", "replace_text")),
    *(f"write/changes/{name}.py" for name in ("relocate", "restore", "revise", "reword", "surroundings", "undo")),
}
DOES_IO = {"os", "io", "pathlib", "socket", "sqlite3", "apsw", "subprocess", "urllib", "shutil", "tempfile", "random"}


def _modules():
    return sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))


def _imports(module):
    """(dotted name, names taken from it) of everything a file imports, other than for type checking only."""
    tree = ast.parse((PACKAGE / module).read_text(encoding="utf-8"))
    package = ("recollect", *Path(module).parent.parts)
    for node in _live(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else ()
            dotted = ".".join([*start, *([node.module] if node.module else [])])
            yield dotted, tuple(alias.name for alias in node.names)


def _live(node):
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        yield child
        yield from _live(child)


def _ours(module):
    """The modules of ours that a file imports, by their path below the package."""
    for dotted, names in _imports(module):
        if dotted == "recollect":
            yield from names
        elif dotted.startswith("recollect."):
            inside = dotted.removeprefix("recollect.")
            yield from (f"{inside}.{name}" for name in names) if names else (inside,)


def _part(module):
    first = module.replace("/", ".").removesuffix(".py").split(".")[0]
    return "" if first == "__init__" else first


def test_the_exported_names_are_these():
    assert sorted(recollect.__all__) == [
        "AsyncRecollect",
        "Client",
        "Event",
        "Explanation",
        "Hit",
        "Link",
        "Memory",
        "Recall",
        "Recipe",
        "Recollect",
        "__version__",
        "errors",
    ]
    assert all(hasattr(recollect, name) for name in recollect.__all__)


def test_the_facade_offers_these_calls():
    offered = {name for name in vars(recollect.Recollect) if not name.startswith("_")}
    named = (
        "remember remember_many recall compare get list update forget restore purge history link unlink neighbours "
        "supersede contradict reinforce decay pin undo namespaces move backup export import_ check doctor stats "
        "reembed close ingest ingest_many ingest_documents feedback assemble archive consolidate tend retention "
        "set_retention recalls growth acting calibrate clear_calibration profile brief chain conversation "
        "recall_log recall_days graph matching change_many"
    )
    assert offered >= set(named.split())


def test_a_memory_carries_the_fields_of_the_contract():
    from dataclasses import fields

    named = (
        "id text kind tags entities gist importance confidence strength status tier namespace session_id turn role "
        "granularity source origin trust metadata created_at occurred_at valid_from valid_to expires_at access_count "
        "last_accessed_at retrieval_count last_retrieved_at"
    )
    assert {field.name for field in fields(recollect.Memory)} >= set(named.split())


def test_every_module_has_its_place():
    assert {_part(module) for module in _modules()} <= LEVEL.keys()


@pytest.mark.parametrize("module", _modules())
def test_imports_point_down_only(module):
    mine = _part(module)
    for imported in _ours(module):
        other = imported.split(".")[0]
        level = LEVEL.get(other, 4)  # a name of the package itself, such as __version__
        assert level <= LEVEL[mine], f"{module} imports {imported}"
        if LEVEL[mine] == level == 1 and other != mine:
            shared = ("text", "embedders") if mine == "readers" else ("text",)  # a reader runs on an embedder's model
            assert other in shared, f"{module} imports {imported}: only text is shared among these"


PURE = [
    module
    for module in _modules()
    if _part(module) in ("read", "write") and module not in IMPURE and not module.startswith("read/routes/")
]


@pytest.mark.parametrize("module", PURE)
def test_a_stage_does_no_input_or_output(module):
    for dotted, _ in _imports(module):
        assert dotted.split(".")[0] not in DOES_IO, f"{module} imports {dotted}"
    for imported in _ours(module):
        values_only = module == "write/build/words.py" and imported == "store.values.Document"
        assert imported.split(".")[0] not in ("store", "embedders") or values_only, f"{module} imports {imported}"


@pytest.mark.parametrize("module", _modules())
def test_a_private_constant_is_used_and_given_once(module):
    """vulture passes over names that begin with an underscore."""
    tree = ast.parse((PACKAGE / module).read_text(encoding="utf-8"))
    statements = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]
    given = [name for each in statements for name in _names(each, ast.Store) if re.match("_[^_]", name)]
    assert set(given) <= set(_names(tree, ast.Load)) and len(given) == len(set(given))


def _names(tree, context):
    return [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, context)]


def _calls(module):
    """(name called, its keywords) of every call in a file."""
    for node in ast.walk(ast.parse((PACKAGE / module).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            named = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            yield named, {keyword.arg for keyword in node.keywords}


BUILT = {"document", "digest", "about", "vectors"}


@pytest.mark.parametrize("module", [m for m in _modules() if not m.startswith(("write/build/", "store/", "testing/"))])
def test_only_the_one_constructor_puts_together_what_is_stored_with_a_memory(module):
    for called, keywords in _calls(module):
        assert not (called == "Put" and (keywords & BUILT or None in keywords)), f"{module} makes a Put by hand"


SCREENS = {
    "write/build/put.py": {"quarantined", "screened", "screened_texts"},
    # what was said is compared with what is stored, so secrets are taken out before
    "write/conversations/messages.py": {"redacted"},
    # the logs hold words too
    "read/record.py": {"redacted"},
    "keep/importing.py": {"without_secrets"},
}
SCREENING = {"screened", "screened_texts", "quarantined", "without_secrets", "redacted", "redacted_in"}
SCREENING |= {"suspicions", "suspicions_in"}


@pytest.mark.parametrize("module", [m for m in _modules() if not m.startswith("write/screening/")])
def test_screening_happens_inside_the_one_constructor(module):
    used = {name for dotted, names in _imports(module) if ".screening" in dotted for name in names}
    assert used & SCREENING == SCREENS.get(module, set())
    assert not used & {"quarantine", "injections", "secrets"}, f"{module} takes all of a module of screening"


def test_only_the_sqlite_store_the_cache_the_fts5_tokenizers_the_importer_and_a_measured_library_know_sqlite():
    knowing = {m for m in _modules() for dotted, _ in _imports(m) if dotted.split(".")[0] in ("apsw", "sqlite3")}
    elsewhere = {module for module in knowing if not module.startswith("store/sqlite/")}
    measured = "bench/peers/stores/store_langgraph_sqlite.py"  # opens the file for LangGraph
    assert elsewhere <= {measured, "embedders/cached.py", "imports/databases.py", "text/fts5.py"}


LIGHT = """
import sys
from recollect import Recollect
mind = Recollect(sys.argv[1])
assert mind.recall("dark mode", recipe="braindb-keyword").hits
print(sorted({name.split(".")[0] for name in sys.modules} & {"onnxruntime", "tokenizers", "rich", "typer"}))
"""


def test_importing_brings_neither_asyncio_nor_http_along():
    late = {"asyncio", "concurrent.futures", "http.client", "httpx2", "ssl", "urllib.request"}
    assert python(f"import sys, recollect; print(sorted({late!r} & sys.modules.keys()))").strip() == "[]"


def test_recalling_by_words_loads_no_model(mind, path):
    mind.remember("Ada prefers dark mode")
    assert python(LIGHT, path).strip() == "[]"


def test_importing_and_opening_do_not_load_numpy(mind, path):
    opening = "import sys, recollect; recollect.Recollect(sys.argv[1]).list(); print('numpy' in sys.modules)"
    assert python(opening, path).strip() == "False"


def test_no_file_has_more_than_500_lines():
    long = {module: count for module in _modules() if (count := _lines(module)) > 500}
    assert long == {}


def _lines(module):
    return (PACKAGE / module).read_text(encoding="utf-8").count("\n")


def test_the_store_contract_stays_small():
    from recollect.store import protocol

    parts = (protocol.Memories, protocol.Index, protocol.Journal, protocol.Tables, protocol.Maintenance)
    counts = [len([name for name in vars(part) if not name.startswith("_")]) for part in parts]
    assert max(counts) <= 12 and sum(counts) <= 31


def test_the_tables_of_both_engines_have_the_columns_of_their_rows():
    from recollect.store import tables
    from recollect.store.postgres import schema as postgres
    from recollect.store.sqlite import schema as sqlite

    for kind in tables.KINDS:
        for migrations in (sqlite.MIGRATIONS, postgres.MIGRATIONS):
            made = re.search(rf"CREATE TABLE {kind.TABLE} \((.*?)\)(?: STRICT|;)", "".join(migrations), re.DOTALL)[1]
            assert all(re.search(rf"\b{column}\b", made) for column in tables.columns(kind)), kind
