"""Applies deltas to a seed, a SQLite file, and proves the result with the digest. Uses only the standard library.

The rules are in the article "Formats and HTTP interface".
"""

import base64
import contextlib
import hashlib
import itertools
import json
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


def members(pairs):
    """A JSON object; rejects a name that occurs twice."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError(f"a name occurs twice: {[name for name, _ in pairs]}")
    return dict(pairs)


def document(text):
    return json.loads(text, object_pairs_hook=members)


def scalar(value):
    """A row's value, from a JSON scalar or one of the three tagged objects."""
    if not isinstance(value, dict):
        return value
    ((tag, text),) = value.items()
    return {"i64": int, "f64": float, "b64": base64.b64decode}[tag](text)


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
    """Sets new columns, row by row in the order of the keys. An array holds the number of rows to skip."""
    if "fill" not in table:
        return
    order = ", ".join(map(quoted, table["key"]))
    settings = ", ".join(f"{quoted(column)} = ?" for column in table["fill"])
    matches = " AND ".join(f"{quoted(column)} = ?" for column in table["key"])
    keys = iter(database.execute(f"SELECT {order} FROM {name} ORDER BY {order}").fetchall())
    filled = iter(table["filled"])
    for first in filled:
        if isinstance(first, list):
            next(itertools.islice(keys, first[0] - 1, None), None)
        else:
            row = [first, *itertools.islice(filled, len(table["fill"]) - 1)]
            if (row_key := next(keys, None)) is None:
                raise Drift(f"{table['table']} has fewer rows than the delta has values for its new columns")
            database.execute(f"UPDATE {name} SET {settings} WHERE {matches}", [*map(scalar, row), *row_key])


def change(database, name, table):
    """Deletes all changed rows first, because two of them may swap a unique value."""
    key, columns = table["key"], table["columns"]
    matches = " AND ".join(f"{quoted(column)} = ?" for column in key)
    names, marks = ", ".join(map(quoted, columns)), ", ".join("?" * len(columns))
    rows = [list(map(scalar, row)) for row in table["insert"]]
    for number, *values in table["update"]:
        values = list(map(scalar, values))
        old = database.execute(f"SELECT {names} FROM {name} WHERE {matches}", values[: len(key)]).fetchone()
        if old is None:
            raise Drift(f"{table['table']}: the delta updates a missing row: {values[: len(key)]}")
        rows.append(list((dict(zip(columns, old)) | dict(zip(key + table["sets"][number], values))).values()))
    deleted = [list(map(scalar, row)) for row in table["delete"]]
    places = [columns.index(column) for column in key]
    database.executemany(f"DELETE FROM {name} WHERE {matches}", deleted + [[row[place] for place in places] for row in rows])
    database.executemany(f"INSERT INTO {name}({names}) VALUES ({marks})", rows)


# The state digest.


def rows(database, table):
    """All rows with their stored columns in declared order; table_info omits generated columns."""
    columns = [quoted(column[1]) for column in database.execute(f"PRAGMA table_info({quoted(table)})")]
    return database.execute(f"SELECT {', '.join(columns)} FROM {quoted(table)}")


def canonical(value):
    if value is None:
        return b"\0"
    if isinstance(value, int):
        return b"\1" + struct.pack(">q", value)
    if isinstance(value, float):
        return b"\2" + struct.pack(">d", value)
    tag, content = (b"\3", value.encode()) if isinstance(value, str) else (b"\4", value)
    return tag + struct.pack(">Q", len(content)) + content


def table_sum(rows):
    """The number of rows, and the sum of their hashes."""
    count = total = 0
    for row in rows:
        count += 1
        total += int.from_bytes(hashlib.sha256(b"".join(map(canonical, row))).digest(), "big")
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
