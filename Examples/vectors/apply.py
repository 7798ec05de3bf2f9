"""Applies the vectors by seed.py, and compares rows, sums, digests and answers to searches. Standard library only; it
shares no code with Seedbank.

    python3 Examples/vectors/apply.py
"""

import contextlib
import pathlib
import sqlite3
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))
import seed


def read(name):
    return seed.document((FOLDER / name).read_text(encoding="utf-8"))


def compare(database, state):
    meta = seed.meta(database)
    digest = seed.digest(database, [])  # Of the stored sums.
    assert (int(meta["version"]), meta["digest"], digest) == (state["version"], state["digest"], state["digest"])
    for table in state["tables"]:
        expected = [tuple(map(seed.scalar, row)) for row in table["content"]]
        content = list(seed.rows(database, table["name"]))
        assert sorted(map(repr, content)) == sorted(map(repr, expected)), f"rows of {table['name']}"
        count, total = seed.table_sum(content)
        assert (count, total.hex()) == (table["rows"], table["sum"])
        stored = database.execute("SELECT rows, sum FROM seedbank_table WHERE name = ?", [table["name"]])
        assert stored.fetchall() == [(count, total)], f"stored sum of {table['name']}"
    for words, expected in state["searches"].items():
        found = database.execute("SELECT rowid FROM stop_search WHERE stop_search MATCH ? ORDER BY rowid", [words])
        assert [number for (number,) in found] == expected, f"answer to {words}"
    database.execute("INSERT INTO stop_search(stop_search, rank) VALUES ('integrity-check', 1)")


def follow(damaged=None, damage=""):
    """Applies all deltas, that of a version after damage to the rows."""
    database = sqlite3.connect(":memory:", isolation_level=None)
    database.executescript((FOLDER / "snapshot-1.sql").read_text(encoding="utf-8"))
    compare(database, states[0])
    for before, state in zip(states, states[1:]):
        if state["version"] == damaged:
            database.executescript(damage)
        seed.apply(database, read(f"delta-{before['version']}-{state['version']}.json"))
        compare(database, state)


def require_drift(version, damage):
    try:
        follow(version, damage)
    except seed.Drift:
        return
    raise AssertionError(f"no drift after {damage}")


def require_refusal(path, sql):
    """A delta whose additions do more than add changes nothing."""
    delta = read("delta-4-5.json")
    delta["additions"]["sql"].append(sql)
    try:
        with seed.transaction(path) as database:
            seed.apply(database, delta)
    except (sqlite3.Error, sqlite3.Warning):  # Older versions of Python raise Warning at a second statement.
        with seed.transaction(path) as database:
            return compare(database, states[3])
    raise AssertionError(f"{sql} is run")


def refuse(folder):
    path = pathlib.Path(folder, "seed.sqlite")
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.executescript((FOLDER / "snapshot-1.sql").read_text(encoding="utf-8"))
    with seed.transaction(path) as database:
        for number in (1, 2, 3):
            seed.apply(database, read(f"delta-{number}-{number + 1}.json"))
    for sql in read("hostile.json"):
        require_refusal(path, sql)


states = read("states.json")
follow()
with tempfile.TemporaryDirectory() as folder:
    refuse(folder)
require_drift(3, "UPDATE stop SET code = NULL; INSERT INTO stop(id, name, code) VALUES (9, 'stray', 'A')")
require_drift(5, "DELETE FROM word")  # Fewer rows than new values.
print(f"{len(states)} versions have their rows, digests and searches")
