"""Applies the vectors by seed.py, and compares rows, sums, digests and answers to searches. Standard library only; it
shares no code with Seedbank.

    python3 Examples/vectors/apply.py
"""

import pathlib
import sqlite3
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))
import seed


def read(name):
    return seed.document((FOLDER / name).read_text(encoding="utf-8"))


def compare(database, state):
    assert seed.meta(database) == state["meta"]
    assert database.execute("PRAGMA user_version").fetchone() == (state["user_version"],)
    assert seed.digest(database, []) == state["meta"]["digest"]  # Of the stored sums.
    names = database.execute("SELECT name FROM seedbank_table ORDER BY name").fetchall()
    assert names == [(table["name"],) for table in state["tables"]]
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


def follow(*spans):
    """Applies the deltas of these spans, and compares each version."""
    database = sqlite3.connect(":memory:", isolation_level=None)
    database.executescript((FOLDER / "snapshot-1.sql").read_text(encoding="utf-8"))
    compare(database, states["1"])
    for span in spans:
        seed.apply(database, read(f"delta-{span}.json"))
        compare(database, states[span.split("-")[1]])
    return database


def require(error, database, delta, damage=""):
    """A delta must fail, after damage to the rows."""
    database.executescript(damage)
    try:
        seed.apply(database, delta)
    except error:
        return
    raise AssertionError(f"the delta to {delta['to']} is applied after {damage}")


states = {state["meta"]["version"]: state for state in read("states.json")}
follow("1-2", "2-3", "3-4", "4-5")
follow("1-3", "3-4")
follow("1-2", "1-3", "3-4")
require(seed.Drift, follow("1-3"), read("delta-3-4.json"), "UPDATE stop SET code = 'C' WHERE id = 4")  # A new row's.
minor = read("delta-4-5.json")
require(seed.Drift, follow("1-3", "3-4"), minor, "DELETE FROM word")  # Fewer rows than new values.
minor["additions"]["before"] = minor["schema"]
require(ValueError, follow("1-3", "3-4"), minor)
print(f"{len(states)} versions have their rows, digests and searches")
