"""An HTTP client of someone who has never seen Seedbank's code: standard library only, /v1 only.

It follows the protocol as it is printed: in one transaction, the deltas in order; of each table first delete the rows
whose keys are in `delete` or in `upsert`, then insert those of `upsert`; then remember `to`. Of which epoch its
version is, it says.

    outside_client.py ADDRESS DATASET MODEL STORE snapshot   takes the snapshot
    outside_client.py ADDRESS DATASET MODEL STORE changes    takes the changes since what the store has
    outside_client.py ADDRESS DATASET MODEL STORE compare    compares the store with a fresh snapshot
"""

import base64
import gzip
import json
import os
import sqlite3
import sys
import urllib.request


def get(url):
    with urllib.request.urlopen(url, timeout=30) as response:
        return response.read(), response.headers, response.url


def snapshot(address, dataset, model, path):
    body, _, _ = get(f"{address}/v1/{dataset}/snapshot?model={model}")
    with open(path, "wb") as file:
        file.write(gzip.decompress(body))


def open_store(path):
    return sqlite3.connect(path, isolation_level=None)


def meta(database, key):
    return database.execute("SELECT value FROM seedbank_meta WHERE key = ?", [key]).fetchone()[0]


def version(database):
    return int(meta(database, "version"))


def scalar(value):
    if not isinstance(value, dict):
        return value
    ((tag, text),) = value.items()
    return {"i64": int, "f64": float, "b64": base64.b64decode}[tag](text)


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def apply(database, delta):
    for table in delta["changes"]:
        name, key = quoted(table["table"]), table["key"]
        matches = " AND ".join(f"{quoted(column)} = ?" for column in key)
        for row in table["delete"] + table["upsert"]:
            database.execute(f"DELETE FROM {name} WHERE {matches}", [scalar(row[column]) for column in key])
        for row in table["upsert"]:
            columns = ", ".join(map(quoted, row))
            marks = ", ".join("?" * len(row))
            database.execute(
                f"INSERT INTO {name} ({columns}) VALUES ({marks})", [scalar(value) for value in row.values()]
            )


def changes(address, dataset, model, path):
    database = open_store(path)
    more = True
    while more:
        since, epoch = version(database), meta(database, "epoch")
        body, _, _ = get(f"{address}/v1/{dataset}/changes?model={model}&since={since}&epoch={epoch}")
        answer = json.loads(body)
        assert answer["epoch"] == epoch, f"the answer is of epoch {answer['epoch']}, the store of {epoch}"
        database.execute("BEGIN")
        for delta in answer["deltas"]:
            apply(database, delta)
        database.execute("UPDATE seedbank_meta SET value = ? WHERE key = 'version'", [str(answer["to"])])
        database.execute("COMMIT")
        more = answer["more"]


def tables(database):
    names = [
        row[0]
        for row in database.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'seedbank%'"
        )
    ]
    return {name: sorted(map(repr, database.execute(f"SELECT * FROM {quoted(name)}"))) for name in names}


def compare(address, dataset, model, path):
    fresh = path + ".fresh"
    snapshot(address, dataset, model, fresh)
    mine, theirs = open_store(path), open_store(fresh)
    assert version(mine) == version(theirs), f"version {version(mine)} is not {version(theirs)}"
    left, right = tables(mine), tables(theirs)
    for name in sorted(set(left) | set(right)):
        assert left.get(name) == right.get(name), f"table {name} differs"
    os.remove(fresh)
    print(f"equal at version {version(mine)}: {sum(map(len, left.values()))} rows in {len(left)} tables")


if __name__ == "__main__":
    address, dataset, model, path, action = sys.argv[1:]
    {"snapshot": snapshot, "changes": changes, "compare": compare}[action](address, dataset, model, path)
