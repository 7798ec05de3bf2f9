"""Applies the vectors as a client would, and compares rows and digests. Standard library only; it shares no code with Seedbank.

    python3 Examples/vectors/apply.py [FOLDER]
"""

import base64
import hashlib
import json
import os
import sqlite3
import struct
import sys


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


# Reading a delta.


def members(pairs):
    """An object of JSON; a name that occurs twice makes the document invalid."""
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError(f"a name occurs twice: {names}")
    return dict(pairs)


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file, object_pairs_hook=members)


def scalar(value):
    """A value of a row: a scalar of JSON, or one of the three tagged objects."""
    if not isinstance(value, dict):
        return value
    ((tag, text),) = value.items()
    return {"i64": int, "f64": float, "b64": base64.b64decode}[tag](text)


# The state digest.


def canonical(value):
    if value is None:
        return b"\0"
    if isinstance(value, int):
        return b"\1" + struct.pack(">q", value)
    if isinstance(value, float):
        return b"\2" + struct.pack(">d", value)
    tag, content = (b"\3", value.encode()) if isinstance(value, str) else (b"\4", value)
    return tag + struct.pack(">Q", len(content)) + content


def tables(database):
    return [name for (name,) in database.execute("SELECT name FROM seedbank_table")]


def rows(database, table):
    """All rows with their stored columns in declared order; table_info leaves out generated columns."""
    columns = [quoted(column[1]) for column in database.execute(f"PRAGMA table_info({quoted(table)})")]
    return database.execute(f"SELECT {', '.join(columns)} FROM {quoted(table)}").fetchall()


def table_sum(rows):
    hashes = (hashlib.sha256(b"".join(map(canonical, row))).digest() for row in rows)
    return sum(int.from_bytes(hash, "big") for hash in hashes) % 2**256


def digest(database):
    whole = hashlib.sha256()
    for name in sorted(tables(database), key=str.encode):
        content = rows(database, name)
        whole.update(struct.pack(">Q", len(name.encode())) + name.encode() + struct.pack(">Q", len(content)))
        whole.update(table_sum(content).to_bytes(32, "big"))
    return whole.hexdigest()


# Applying a delta.


def meta(database):
    return dict(database.execute("SELECT key, value FROM seedbank_meta"))


def check(delta, meta):
    """A delta leads from any of its versions to the last one, of the same series with the same schema."""
    assert (delta["dataset"], str(delta["series"]), delta["schema"]) == (meta["dataset"], meta["series"], meta["schema"])
    assert delta["from"] <= int(meta["version"]) < delta["to"], "the delta does not begin here"


def apply(database, delta):
    check(delta, meta(database))
    database.execute("BEGIN")
    for table in delta["changes"]:
        name, key = quoted(table["table"]), table["key"]
        matches = " AND ".join(f"{quoted(column)} = ?" for column in key)
        for row in table["delete"] + table["upsert"]:
            database.execute(f"DELETE FROM {name} WHERE {matches}", [scalar(row[column]) for column in key])
        for row in table["upsert"]:
            columns, marks = ", ".join(map(quoted, row)), ", ".join("?" * len(row))
            database.execute(f"INSERT INTO {name}({columns}) VALUES ({marks})", list(map(scalar, row.values())))
    assert digest(database) == delta["digest"], f"version {delta['to']} has other rows than were published"
    for key in ["version", "digest"]:
        value = str(delta["to" if key == "version" else "digest"])
        database.execute("UPDATE seedbank_meta SET value = ? WHERE key = ?", [value, key])
    database.execute("COMMIT")


# The vectors.


def compare(database, state):
    assert int(meta(database)["version"]) == state["version"]
    assert digest(database) == meta(database)["digest"] == state["digest"], f"digest of version {state['version']}"
    for table in state["tables"]:
        expected = [tuple(map(scalar, row)) for row in table["content"]]
        content = rows(database, table["name"])
        assert sorted(map(repr, content)) == sorted(map(repr, expected)), f"rows of {table['name']}"
        assert (len(content), f"{table_sum(content):064x}") == (table["rows"], table["sum"])


def main(folder):
    states = read(os.path.join(folder, "states.json"))
    database = sqlite3.connect(":memory:", isolation_level=None)
    with open(os.path.join(folder, "snapshot-1.sql"), encoding="utf-8") as file:
        database.executescript(file.read())
    compare(database, states[0])
    for before, state in zip(states, states[1:]):
        apply(database, read(os.path.join(folder, f"delta-{before['version']}-{state['version']}.json")))
        compare(database, state)
    print(f"{len(states)} versions have their rows and digests")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__)))
