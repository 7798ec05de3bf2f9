"""Applies this folder's test deltas with seed.py, and compares rows, sums, digests and search results with states.json. Uses
only the standard library, and shares no code with Seedbank.

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


def text(name, column="language"):
    """A vector, in which a column of a key may have another name. Neither hashes nor digests include it."""
    return (FOLDER / name).read_text(encoding="utf-8").replace("language", column)


def read(name, column="language"):
    return seed.document(text(name, column))


def compare(database, state):
    assert seed.meta(database) == state["meta"]
    assert database.execute("PRAGMA user_version").fetchone() == (state["user_version"],)
    assert seed.digest(database, []) == state["meta"]["digest"]  # From the stored sums.
    names = database.execute("SELECT name FROM seedbank_table ORDER BY name").fetchall()
    assert names == [(table["name"],) for table in state["tables"]]
    for table in state["tables"]:
        expected = list(map(tuple, table["content"]))
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


def follow(*spans, column="language"):
    """Applies the deltas of these spans, such as "1-2", to the snapshot, and compares each version."""
    database = sqlite3.connect(":memory:", isolation_level=None)
    database.executescript(text("snapshot-1.sql", column))
    compare(database, states["1"])
    for span in spans:
        seed.apply(database, read(f"delta-{span}.json", column))
        compare(database, states[span.split("-")[1]])
    return database


def require(error, database, delta, damage=""):
    """Requires that a delta fails with this error after the SQL in `damage` has changed the rows."""
    database.executescript(damage)
    try:
        seed.apply(database, delta)
    except error:
        return
    raise AssertionError(f"the delta to {delta['to']} was applied after {damage}")


def require_refusal(path, sql):
    """Requires that a delta fails and changes nothing if its additions contain this SQL, which does more than add."""
    delta = read("delta-4-5.json")
    delta["additions"]["sql"].append(sql)
    try:
        with seed.transaction(path) as database:
            seed.apply(database, delta)
    except (sqlite3.Error, sqlite3.Warning, ValueError):  # Older versions of Python raise the last two.
        with seed.transaction(path) as database:
            return compare(database, states["4"])
    raise AssertionError(f"{sql} was run")


def refuse(folder):
    path = pathlib.Path(folder, "seed.sqlite")
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.executescript(text("snapshot-1.sql"))
    with seed.transaction(path) as database:
        for span in ("1-3", "3-4"):
            seed.apply(database, read(f"delta-{span}.json"))
    for sql in read("hostile.json"):
        require_refusal(path, sql)


states = {state["meta"]["version"]: state for state in read("states.json")}
follow("1-2", "2-3", "3-4", "4-5")
follow("1-3", "3-4")
follow("1-2", "1-3", "3-4")
for name in ("rowid", "_rowid_"):
    follow("1-2", "2-3", "3-4", "4-5", column=name)
require(seed.Drift, follow("1-3"), read("delta-3-4.json"), "UPDATE stop SET code = 'C' WHERE id = 4")  # Also the new row's.
require(seed.Drift, follow("1-2"), read("delta-2-3.json"), "DELETE FROM stop WHERE id = 2")  # An updated row's.
minor = read("delta-4-5.json")
require(seed.Drift, follow("1-3", "3-4"), minor, "DELETE FROM word")  # Fewer rows than new values.
minor["additions"]["before"] = minor["schema"]
require(ValueError, follow("1-3", "3-4"), minor)
with tempfile.TemporaryDirectory() as folder:
    refuse(folder)
print(f"{len(states)} versions have the published rows, digests and search results")
