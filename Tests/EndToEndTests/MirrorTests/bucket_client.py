"""A client of someone who has never seen Seedbank's code, for a host without /v1: python-tuf for trust, SQLite for rows.

    bucket_client.py ADDRESS ROOT.json DATASET MAJOR STORE

Takes what is new, the snapshot where the store is not there yet, and prints all rows of each table, a line each.
"""

import gzip
import json
import os
import sys
import tempfile

from tuf.api.metadata import Metadata, Targets
from tuf.ngclient import Updater

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "RoadTests"))
import outside_client as outside

address, root, dataset, major, store = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    with open(root, "rb") as file:
        updater = Updater(folder, f"{address}/metadata/", folder, f"{address}/targets/", bootstrap=file.read())
    updater.refresh()
    updater.get_targetinfo(f"{dataset}/{major}/nothing")
    role = Metadata[Targets].from_file(os.path.join(folder, f"{dataset}-{major}.json")).signed

    def body(name):
        with open(updater.download_target(updater.get_targetinfo(name)), "rb") as file:
            return gzip.decompress(file.read())

    custom = {name: target.unrecognized_fields["custom"] for name, target in role.targets.items()}
    custom = {name: facts for name, facts in custom.items() if facts["encoding"] == "gzip"}
    if not os.path.exists(store):
        snapshots = {facts["version"]: name for name, facts in custom.items() if facts["kind"] == "snapshot"}
        with open(store, "wb") as file:
            file.write(body(snapshots[max(snapshots)]))
    database = outside.open_store(store)
    head = role.unrecognized_fields["seedbank"]["head"]
    while outside.version(database) < head:
        steps = {facts["to"]: name for name, facts in custom.items()
                 if facts["kind"] == "delta" and facts["from"] == outside.version(database)}
        database.execute("BEGIN")
        outside.apply(database, json.loads(body(steps[max(steps)])))
        database.execute("UPDATE seedbank_meta SET value = ? WHERE key = 'version'", [str(max(steps))])
        database.execute("COMMIT")
    for name, rows in sorted(outside.tables(database).items()):
        for row in rows:
            print(name, row)
