"""Applies deltas to a seed, a SQLite file, and proves the result with the digest. Uses only the standard library.

The rules are in the article "Formats and HTTP interface".
"""

import base64
import contextlib
import hashlib
import itertools
import json
import operator
import sqlite3
import struct


class Drift(Exception):
    """The rows differ from the published ones: download a snapshot."""


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def permission(action, *_):
    """Denies ATTACH and DETACH, so that the SQL of a snapshot or a delta cannot reach other files."""
    return sqlite3.SQLITE_DENY if action in (sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH) else sqlite3.SQLITE_OK


ADDING = {
    sqlite3.SQLITE_ALTER_TABLE, sqlite3.SQLITE_CREATE_TABLE, sqlite3.SQLITE_CREATE_INDEX, sqlite3.SQLITE_CREATE_VIEW,
    sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_READ, sqlite3.SQLITE_REINDEX,
}


def addition():
    """Permits only additions to the schema. SQLite reads rows to add some columns. Its functions "sqlite_…" rename and remove."""
    actions = set()

    def permission(action, first, second, *_):
        actions.add(action)
        writes = action in (sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE) and first == "sqlite_master"
        searches = action == sqlite3.SQLITE_CREATE_VTABLE and second.lower() == "fts5"
        reads = action == sqlite3.SQLITE_SELECT and sqlite3.SQLITE_ALTER_TABLE in actions
        edits = action == sqlite3.SQLITE_FUNCTION and second.startswith("sqlite_")
        adds = action in ADDING or writes or searches or reads
        return sqlite3.SQLITE_OK if adds and not edits else sqlite3.SQLITE_DENY

    return permission


def add(database, sql):
    """Runs a statement of a snapshot or a delta if it only adds to the schema. EXPLAIN checks this without running it."""
    database.set_authorizer(addition())
    try:
        database.execute("EXPLAIN " + sql).close()
    finally:
        database.set_authorizer(permission)
    database.execute(sql)


@contextlib.contextmanager
def transaction(path):
    """A connection whose changes all become visible together; an error discards them."""
    with contextlib.closing(sqlite3.connect(path, timeout=60, isolation_level=None)) as database:
        database.set_authorizer(permission)
        database.execute("BEGIN IMMEDIATE")
        yield database
        database.execute("COMMIT")


def meta(database):
    """The metadata of a seed: dataset, epoch, version and more."""
    return dict(database.execute("SELECT key, value FROM seedbank_meta"))


def meta_of(path):
    """The metadata of a file; empty if there is no file."""
    if not path.exists():
        return {}
    with transaction(path) as database:
        return meta(database)


def build_indexes(database):
    """Builds the indexes that a snapshot leaves to its reader."""
    if not database.execute("SELECT 1 FROM sqlite_schema WHERE name = 'seedbank_index'").fetchone():
        return
    left_out = 'SELECT sql, "table", name, statistics FROM seedbank_index ORDER BY position'
    for sql, *statistics in database.execute(left_out).fetchall():
        add(database, sql)
        if statistics[-1]:
            database.execute("INSERT INTO sqlite_stat1(tbl, idx, stat) VALUES (?, ?, ?)", statistics)
    database.execute("DROP TABLE seedbank_index")


# Deltas.


TAGS = {"i64": int, "f64": float, "b64": base64.b64decode}


def members(pairs):
    """A JSON object, or the value that a tagged one spells; rejects a name that occurs twice."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError(f"a name occurs twice: {[name for name, _ in pairs]}")
    if len(pairs) == 1 and pairs[0][0] in TAGS:
        return TAGS[pairs[0][0]](pairs[0][1])
    return dict(pairs)


def document(text):
    return json.loads(text, object_pairs_hook=members)


def before(delta):
    """The schema of the data to which a delta applies; it differs from the delta's own if the delta begins a minor."""
    return delta.get("additions", {}).get("before", delta["schema"])


def apply(database, delta):
    """Applies a delta; raises Drift if the resulting rows are not the published ones."""
    known = meta(database)
    if [delta["dataset"], str(delta["series"]), before(delta)] != [known[name] for name in ("dataset", "series", "schema")]:
        raise ValueError("the delta belongs to another series or schema")
    if not delta["from"] <= int(known["version"]) < delta["to"]:
        raise ValueError(f"a delta from {delta['from']} to {delta['to']} does not apply to version {known['version']}")
    changed = [table["table"] for table in delta["changes"]]
    try:
        if "additions" in delta:
            changed = extend(database, delta)
        for table in delta["changes"]:
            fill(database, quoted(table["table"]), table)
            change(database, quoted(table["table"]), table)
    except sqlite3.IntegrityError as error:
        raise Drift(f"version {delta['to']} conflicts with a local row: {error}") from error
    if digest(database, changed) != delta["digest"]:
        raise Drift(f"the rows of version {delta['to']} differ from the published ones")
    searches = "SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%'"
    for (name,) in database.execute(searches).fetchall():
        database.execute(f"INSERT INTO {quoted(name)}({quoted(name)}) VALUES ('rebuild')")
    values = [(str(delta["to"]), "version"), (delta["digest"], "digest")]
    database.executemany("UPDATE seedbank_meta SET value = ? WHERE key = ?", values)


def extend(database, delta):
    """Begins a new minor. Returns the names of all tables, because a new column changes the sum of its table."""
    for sql in delta["additions"]["sql"]:
        add(database, sql)
    tables = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
    names = [name for (name,) in database.execute(tables) if not name.startswith(("sqlite_", "seedbank_"))]
    database.executemany("INSERT OR IGNORE INTO seedbank_table VALUES (?, 0, zeroblob(32))", [[name] for name in names])
    values = [(delta["schema"], "schema"), (delta["model"], "model")]
    database.executemany("UPDATE seedbank_meta SET value = ? WHERE key = ?", values)
    major, minor = delta["model"].split(".")
    database.execute(f"PRAGMA user_version = {int(major) * 1000 + int(minor)}")
    return names


def fill(database, name, table):
    """Sets new columns, whose values are in the order of the keys. A temporary table needs less memory than a list of keys."""
    if "fill" not in table:
        return
    key, settings = ", ".join(map(quoted, table["key"])), ", ".join(f"{quoted(column)} = ?" for column in table["fill"])
    copies = ", ".join(f"key_{place}" for place in range(len(table["key"])))  # A column of the key may be named rowid.
    database.execute(f"CREATE TEMP TABLE seedbank_key(number INTEGER PRIMARY KEY, {copies})")
    database.execute(f"INSERT INTO seedbank_key({copies}) SELECT {key} FROM {name} ORDER BY {key}")
    matches = f"({key}) = (SELECT {copies} FROM seedbank_key WHERE number = ?)"
    database.executemany(f"UPDATE {name} SET {settings} WHERE {matches}", numbered(table))
    database.execute("DROP TABLE seedbank_key")


def numbered(table):
    """Yields the new values of each row and the row's number. An array holds the number of rows to skip."""
    number, filled = 0, iter(table["filled"])
    for first in filled:
        number += first[0] if isinstance(first, list) else 1
        if not isinstance(first, list):
            yield [first, *itertools.islice(filled, len(table["fill"]) - 1), number]


def change(database, name, table):
    """Deletes all changed rows first, because two of them may swap a unique value. If a row is missing, the digest differs."""
    key, columns = table["key"], table["columns"]
    matches = " AND ".join(f"{quoted(column)} = ?" for column in key)
    keys, names, marks = ", ".join(map(quoted, key)), ", ".join(map(quoted, columns)), ", ".join("?" * len(columns))
    database.execute(f"CREATE TEMP TABLE seedbank_changed({names})")
    first = operator.itemgetter(0)
    for number, rows in itertools.groupby(sorted(table["update"], key=first), first):
        new = table["sets"][number]
        kept = [column for column in columns if column not in new]
        values, end = ", ".join(["?"] * len(new) + list(map(quoted, kept))), len(key) + 1
        copy = f"INSERT INTO seedbank_changed({', '.join(map(quoted, new + kept))}) SELECT {values} FROM {name} WHERE {matches}"
        database.executemany(copy, (row[end:] + row[1:end] for row in rows))
    places = [columns.index(column) for column in key]
    inserted = ([row[place] for place in places] for row in table["insert"])
    database.executemany(f"DELETE FROM {name} WHERE {matches}", itertools.chain(table["delete"], inserted))
    database.execute(f"DELETE FROM {name} WHERE ({keys}) IN (SELECT {keys} FROM seedbank_changed)")
    database.executemany(f"INSERT INTO {name}({names}) VALUES ({marks})", table["insert"])
    database.execute(f"INSERT INTO {name}({names}) SELECT * FROM seedbank_changed")
    database.execute("DROP TABLE seedbank_changed")


# The state digest.


def rows(database, table):
    """All rows with their stored columns in declared order; table_info omits generated columns."""
    columns = [quoted(column[1]) for column in database.execute(f"PRAGMA table_info({quoted(table)})")]
    return database.execute(f"SELECT {', '.join(columns)} FROM {quoted(table)}")


INTEGER, REAL, LENGTH = (struct.Struct(form).pack for form in (">bq", ">bd", ">bQ"))
CANONICAL = {
    type(None): lambda _: b"\0",
    int: lambda number: INTEGER(1, number),
    float: lambda number: REAL(2, number),
    str: lambda text: LENGTH(3, len(content := text.encode())) + content,
    bytes: lambda blob: LENGTH(4, len(blob)) + blob,
}


def table_sum(rows):
    """The number of rows, and the sum of their hashes."""
    count = total = 0
    for row in rows:
        count += 1
        total += int.from_bytes(hashlib.sha256(b"".join([CANONICAL[type(value)](value) for value in row])).digest(), "big")
    return count, (total % 2**256).to_bytes(32, "big")


def digest(database, changed):
    """The state digest. Computes only the sums of changed tables; seedbank_table has the others."""
    for name in changed:
        values = [*table_sum(rows(database, name)), name]
        database.execute("UPDATE seedbank_table SET rows = ?, sum = ? WHERE name = ?", values)
    whole = hashlib.sha256()
    for name, count, total in database.execute("SELECT name, rows, sum FROM seedbank_table ORDER BY name"):
        whole.update(struct.pack(">Q", len(name.encode())) + name.encode() + struct.pack(">Q", count) + total)
    return whole.hexdigest()
