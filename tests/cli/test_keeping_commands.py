"""decay, namespaces, stats, check, doctor, backup, restore-backup, export, import, reembed, recipes."""

import sqlite3

import pytest

from recollect.recipes import names


def test_namespaces_are_listed_and_moved(shell, add):
    add("Ada sails", "--namespace", "acme/ada")
    add("Bob cooks", "--namespace", "other")
    assert shell.json("namespaces") == {"acme/ada": 1, "other": 1}
    assert shell.json("namespaces", "--namespace", "acme") == {"acme/ada": 1}
    assert shell.json("namespaces", "move", "acme/ada", "acme/archive") == {"moved": 1}
    assert "acme/archive" in shell.done("namespaces")
    shell.refused(1, "namespaces", "move", "nowhere", "somewhere")
    shell.refused(2, "namespaces", "move", "acme", "acme/below")


def test_options_in_front_of_a_groups_command_are_not_swallowed(shell, add):
    add("Ada sails", "--namespace", "acme")
    assert "after `move`" in shell.refused(2, "namespaces", "--json", "move", "acme", "other")


def test_stats_count_all_or_one_namespace(shell, add):
    add("Ada sails", "--namespace", "acme")
    add("Bob cooks")
    assert shell.json("stats")["memories"] == 2
    assert shell.json("stats", "--namespace", "acme")["memories"] == 1
    assert "memories" in shell.done("stats")


def test_decay_twice_for_one_moment_is_once(shell, add):
    add("Ada sails", "--at", "2026-01-01")
    shell.done("decay", "--at", "2026-06-01")
    assert shell.json("decay", "--at", "2026-06-01")["changed"] == 0


def test_a_changed_event_of_a_chained_log_makes_check_exit_3(shell, add):
    add("Ada sails")
    assert shell.json("chain") == {"head": None} and "off" in shell.done("chain")
    start = shell.json("chain", "on")["head"]
    add("Bob cooks")
    head = shell.json("chain")["head"]
    assert head in shell.done("chain") and head != start
    assert "the chain of events is whole" in shell.done("check", "--chain-head", head)
    with sqlite3.connect(shell.db) as db:
        db.execute("UPDATE event SET actor = 'somebody' WHERE hash IS NOT NULL")
    db.close()
    said = shell("check").stdout
    assert "does not fit the chain" in said and "rows of the table event with a wrong checksum" in said
    shell.refused(3, "check")
    assert "the hash chain of the log begins anew" in shell("recover", str(shell.db), f"{shell.db}-new").stdout
    shell.refused(2, "chain", "maybe")
    assert shell.json("chain", "off") == {"head": None}
    assert shell("check").stdout.splitlines() == [line for line in said.splitlines() if "chain" not in line]


def test_check_proves_a_sound_store_and_exits_3_on_a_broken_one(shell, add):
    add("Ada sails")
    assert shell.json("check") == []
    with sqlite3.connect(shell.db) as db:
        db.execute("DELETE FROM view")
    db.close()
    result = shell("check")
    assert result.exit_code == 3 and "vectors that no memory uses" in result.stdout


def test_doctor_says_what_is_live(shell, add):
    add("Ada sails")
    advice = shell.json("doctor")
    assert {each["state"] for each in advice} == {"ok"}
    assert any(str(shell.db) in each["what"] for each in advice)
    assert "embedder hashing works" in shell.done("doctor")


def test_a_backup_is_put_back_and_what_was_there_is_kept(shell, add, tmp_path):
    kept = add("Ada sails")
    copy = tmp_path / "copy.db"
    assert shell.json("backup", str(copy)) == {"backup": str(copy)}
    shell.done("purge", kept)
    assert "--force" in shell.refused(2, "restore-backup", str(copy))
    said = shell.json("restore-backup", str(copy), "--force")
    assert shell.json("get", kept)["text"] == "Ada sails"
    assert ".replaced-" in said["kept"] and shell.json("stats", db=said["kept"])["memories"] == 0
    assert shell.json("check") == [] and copy.exists()


def test_a_backup_makes_a_store_where_none_is(shell, add, tmp_path):
    add("Ada sails")
    shell.done("backup", str(tmp_path / "copy.db"))
    fresh = tmp_path / "fresh.db"
    assert shell.json("restore-backup", str(tmp_path / "copy.db"), db=str(fresh))["kept"] is None
    assert shell.json("stats", db=str(fresh))["memories"] == 1


def test_a_copied_file_is_a_backup_too(shell, add, tmp_path):
    add("Ada sails")
    copy = tmp_path / "copied.db"
    copy.write_bytes(shell.db.read_bytes())
    shell.done("restore-backup", str(copy), "--force")
    assert shell.json("stats")["memories"] == 1


@pytest.mark.parametrize("broken", [b"", b"just text", b"half"])
def test_what_is_no_sound_store_is_never_put_in_place(shell, add, tmp_path, broken):
    id = add("Ada sails")
    bad = tmp_path / "bad.db"
    bad.write_bytes(shell.db.read_bytes()[: shell.db.stat().st_size // 2] if broken == b"half" else broken)
    assert "nothing was replaced" in shell.refused(3, "restore-backup", str(bad), "--force")
    assert shell.json("get", id)["id"] == id
    assert sorted(path.name for path in tmp_path.iterdir() if "restore" in path.name) == []


def test_restore_backup_wants_another_file_that_is_there(shell, add, tmp_path):
    add("Ada sails")
    shell.refused(1, "restore-backup", str(tmp_path / "none.db"), "--force")
    assert "itself" in shell.refused(2, "restore-backup", str(shell.db), "--force")


def test_an_export_is_imported_into_another_store(shell, add, tmp_path):
    id = add("Ada sails", "--tag", "sport")
    file, other = tmp_path / "memories.jsonl", str(tmp_path / "other.db")
    assert shell.json("export", str(file))["exported"] == 1
    assert "--force" in shell.refused(2, "export", str(file))
    shell.done("export", str(file), "--force")
    assert shell.json("import", str(file), db=other) == {"imported": 1}
    assert shell.json("get", id, db=other)["tags"] == ["sport"]
    assert shell.json("import", str(file), db=other) == {"imported": 0}


def test_an_export_travels_through_a_pipe(shell, add, tmp_path):
    add("Ada sails")
    piped = shell.done("export", "-")
    assert piped.startswith('{"type": "recollect"')
    assert shell.json("import", "-", stdin=piped, db=str(tmp_path / "other.db")) == {"imported": 1}


def test_half_an_export_is_refused(shell, add, tmp_path):
    add("Ada sails")
    file = tmp_path / "memories.jsonl"
    shell.done("export", str(file))
    file.write_text("".join(file.read_text(encoding="utf-8").splitlines(True)[:-1]), encoding="utf-8")
    assert "not complete" in shell.refused(2, "import", str(file), db=str(tmp_path / "other.db"))


def test_reembed_has_nothing_to_do_on_a_whole_store(shell, add):
    add("Ada sails")
    assert shell.json("reembed") == {"embedded": 0, "embedder": "hashing"}


def test_the_wrong_embedder_is_refused_with_3_and_the_way_out(shell, add):
    add("Ada sails")
    assert "recollect reembed --embedder granite" in shell.refused(3, "recall", "Ada", "--embedder", "granite")


def test_reading_commands_never_make_a_store(shell):
    for arguments in (("recall", "x"), ("list",), ("stats",), ("check",), ("doctor",), ("export", "x.jsonl")):
        assert "recollect add" in shell.refused(1, *arguments)
    assert not shell.db.exists()


def test_what_is_no_store_exits_with_3(shell, tmp_path):
    shell.db.write_text("this is a text file, not a database, and long enough to be read as one" * 20)
    assert "not a recollect store" in shell.refused(3, "list")
    assert "directory" in shell.refused(3, "list", db=str(tmp_path))
    assert "does not exist" in shell.refused(3, "add", "x", db=str(tmp_path / "no" / "folder.db"))


def test_recipes_are_listed_on_one_line_each(shell):
    lines = shell.done("recipes").splitlines()
    assert [line.split()[0] for line in lines] == list(names())
    assert all(len(line) <= 80 for line in lines)
    assert list(shell.json("recipes")) == list(names())


def test_a_recipe_is_printed_as_toml_that_reads_back(shell):
    from recollect import recipes
    from recollect.recipes import toml

    assert toml.loads(shell.done("recipes", "show", "memx")) == recipes.load("memx")
    assert shell.json("recipes", "show", "memx")["name"] == "memx"
    assert "did you mean 'memx'" in shell.refused(2, "recipes", "show", "memxx")


def test_a_recipe_is_explained_in_words(shell):
    assert "BM25" in shell.done("recipes", "explain", "memx")
    assert shell.json("recipes", "explain", "bm25")["name"] == "bm25"


def test_settings_in_the_environment_name_the_store(shell, add, monkeypatch):
    from typer.testing import CliRunner

    from recollect.cli.app import app

    add("Ada sails", "--namespace", "acme")
    monkeypatch.setenv("RECOLLECT_DB", str(shell.db))
    monkeypatch.setenv("RECOLLECT_NAMESPACE", "acme")
    assert "Ada sails" in CliRunner().invoke(app, ["list"]).stdout


def test_an_export_to_a_folder_is_refused_without_advice_that_can_not_help(shell, add, tmp_path):
    add("Ada prefers dark mode")
    for force in ((), ("--force",)):
        said = shell.refused(2, "export", str(tmp_path), *force)
        assert "not a regular file" in said and "--force" not in said


def test_recover_lists_what_it_saved_and_what_is_lost(shell, add, tmp_path):
    kept, hit = add("Ada sails"), add("Bob cooks")
    assert shell.json("recover", str(shell.db), str(tmp_path / "all.db"))["complete"] is True
    assert "everything is in" in shell.done("recover", str(shell.db), str(tmp_path / "plain.db"))
    _damage(shell, hit)
    result = shell("recover", str(shell.db), str(tmp_path / "some.db"))
    assert result.exit_code == 3 and f"in quarantine: {hit}" in result.stdout and "unchanged" in result.stderr
    assert shell.json("get", kept, db=str(tmp_path / "some.db"))["text"] == "Ada sails"
    assert "exists already" in shell.refused(2, "recover", str(shell.db), str(tmp_path / "some.db"))
    assert "SQLite files only" in shell.refused(2, "recover", "postgresql://x/y", str(tmp_path / "no.db"))


def test_a_damaged_row_is_named_and_neither_repaired_nor_backed_up(shell, add, tmp_path):
    hit = add("Bob cooks")
    _damage(shell, hit)
    for option in ((), ("--repair",)):
        result = shell("check", *option)
        assert result.exit_code == 3 and "rows of the table memory with a wrong checksum: 1" in result.stdout
    assert "recollect recover" in shell.refused(3, "backup", str(tmp_path / "copy.db"))
    assert hit in shell.refused(3, "get", hit)


def _damage(shell, id):
    db = sqlite3.connect(shell.db)
    db.execute("UPDATE memory SET text = 'Bob sings' WHERE id = ?", (id,))
    db.commit()
    db.close()


def test_check_repairs_and_says_what_it_did(shell, add):
    add("Ada sails")
    db = sqlite3.connect(shell.db)
    db.execute("INSERT INTO term SELECT number, 'sail', 9 FROM corpus")
    db.execute("UPDATE vector SET data = substr(data, 3)")
    db.commit()
    db.close()
    said = shell.done("check", "--repair")
    assert "mended: term statistics" in said and "made the vectors of 1 memories again" in said
    assert shell.json("check", "--repair") == {"mended": [], "left": [], "embedded": 0}


def test_check_names_a_damaged_setting_although_the_store_can_not_be_used(shell, add):
    add("Ada sails")
    with sqlite3.connect(shell.db) as db:
        db.execute("UPDATE setting SET value = 'another' WHERE key = 'embedder'")
    db.close()
    assert "rows of the table setting with a wrong checksum: 1" in shell("check").stdout
    assert "the table setting is damaged" in shell.refused(3, "recall", "who sails?")
    assert "the table setting is damaged" in shell.refused(3, "check", "--repair")
