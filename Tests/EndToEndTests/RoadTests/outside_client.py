"""A client of the plain HTTP interface below /v1 that shares no code with Seedbank: rows by Examples/seed.py.

    outside_client.py ADDRESS DATASET MODEL STORE snapshot   takes the snapshot
    outside_client.py ADDRESS DATASET MODEL STORE changes    takes the changes since what the store has
    outside_client.py ADDRESS DATASET MODEL STORE compare    compares the store with a fresh snapshot
"""

import gzip
import pathlib
import sys
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "Examples"))
import seed


def get(path):
    with urllib.request.urlopen(f"{address}/v1/{dataset}/{path}", timeout=30) as response:
        return response.read()


def snapshot(path):
    path.write_bytes(gzip.decompress(get(f"snapshot?model={model}")))


def changes(path):
    more = True
    while more:
        meta = seed.meta_of(path)
        answer = seed.document(get(f"changes?model={model}&since={meta['version']}&epoch={meta['epoch']}"))
        assert answer["epoch"] == meta["epoch"], f"the answer is of epoch {answer['epoch']}, not {meta['epoch']}"
        with seed.transaction(path) as database:
            for delta in answer["deltas"]:
                seed.apply(database, delta)
            assert int(seed.meta(database)["version"]) == answer["to"]
        more = answer["more"]


def content(path):
    with seed.transaction(path) as database:
        names = [name for (name,) in database.execute("SELECT name FROM seedbank_table")]
        assert seed.digest(database, names) == seed.meta(database)["digest"]
        return seed.meta(database)["version"], {name: sorted(map(repr, seed.rows(database, name))) for name in names}


def compare(path):
    fresh = path.with_name(f"{path.name}.fresh")
    snapshot(fresh)
    (mine, tables), (theirs, others) = content(path), content(fresh)
    assert mine == theirs, f"version {mine} is not {theirs}"
    for name in sorted(tables.keys() | others.keys()):
        assert tables.get(name) == others.get(name), f"table {name} differs"
    print(f"equal at version {mine}: {sum(map(len, tables.values()))} rows in {len(tables)} tables")


address, dataset, model, store, action = sys.argv[1:]
{"snapshot": snapshot, "changes": changes, "compare": compare}[action](pathlib.Path(store))
