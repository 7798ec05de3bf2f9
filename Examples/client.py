"""Keeps a dataset current from any web server with the files of a publication. Each run is one update.

    client.py ADDRESS ROOT.json DATASET MODEL STORE

STORE/current.sqlite is the data. Reopen it after an update, because a snapshot is a new file. A failed update keeps the
data. python-tuf (pip install tuf) verifies metadata and files; seed.py beside this file writes and proves rows.
"""

import fcntl
import gzip
import hashlib
import os
import pathlib
import re
import shutil
import sys

from tuf.api.exceptions import DownloadError, RepositoryError
from tuf.api.metadata import Metadata, Targets
from tuf.ngclient import Updater
import seed


class Refused(Exception):
    """The publication has no data that this client may use."""


def usable(state, targets, dataset, model):
    """The signed facts of each gzip object for clients of a model. A snapshot's `from` is 0."""
    if model not in state["models"]:
        raise Refused(f"model {model} is not published; the published ones are {', '.join(state['models'])}")
    major, facts = model.split(".")[0], []
    series, home = {"dataset": dataset, "series": major, "epoch": state["epoch"]}, f"{dataset}/{major}/"
    for path, target in targets.items():
        name = re.fullmatch(home + r"(?:snapshot-([1-9]\d*)\.sqlite|delta-([1-9]\d*)-([1-9]\d*)\.json)\.(gz|xz)", path, re.A)
        begin, end = (int(name[2] or 0), int(name[1] or name[3])) if name else (0, 0)
        if not path.startswith(home) or (known := begin < end < 2**53) and (target.custom or {}).get("model", "").split(".")[0] != major:
            raise Refused(f"{path} belongs to another series than {dataset}/{major}")
        if known and name[4] == "gz" and (schema := state["models"].get(target.custom["model"])):
            fact = {"schemaBefore": schema, **target.custom, **series, "path": path, "length": target.length}
            facts.append(fact | {"schema": schema, "from": begin, "to": end, "version": end})
    return facts


def start(state, facts, meta):
    """The version and schema from which deltas must start; version 0 if the data needs a snapshot."""
    if not meta or meta["epoch"] != state["epoch"]:
        return 0, None
    if (version := int(meta["version"])) > state["head"]:
        raise Refused(f"the publisher is at version {state['head']}, the data at {version}: was a backup restored?")
    return version if {fact["digest"] for fact in facts if fact["to"] == version} <= {meta["digest"]} else 0, meta["schema"]


def chain(deltas, version, schema, end):
    """A short chain of deltas from one version and schema to another, or None. A new minor changes the schema."""
    if (version, schema) == end:
        return []
    fits = (fact for fact in deltas if fact["from"] <= version < fact["to"] and fact["schemaBefore"] == schema)
    longest = max(fits, key=lambda fact: fact["to"], default=None)
    rest = longest and chain(deltas, longest["to"], longest["schema"], end)
    return None if rest is None else [longest, *rest]


def smallest(state, facts, start):
    """The objects to download: deltas, or a snapshot and the deltas after it if they have fewer bytes."""
    deltas, end = [fact for fact in facts if fact["from"]], (state["head"], state["models"][state["model"]])
    begun = [([], start), *(([fact], (fact["to"], fact["schema"])) for fact in facts if not fact["from"])]
    ways = [first + rest for first, at in begun if (rest := chain(deltas, *at, end)) is not None]
    if not ways:
        raise Refused(f"no snapshot or delta leads from version {start[0]} to {state['head']}: the publisher must make a snapshot")
    return min(ways, key=lambda way: sum(fact["length"] for fact in way))


def published(updater, metadata, dataset, major):
    """The verified state of a series and its targets."""
    updater.get_targetinfo(f"{dataset}/{major}/none")  # Loads the series' role; the name need not exist.
    targets, role = (pathlib.Path(metadata, f"{name}.json") for name in ("targets", f"{dataset}-{major}"))
    if role.stem not in Metadata[Targets].from_file(str(targets)).signed.delegations.roles:
        raise Refused(f"{dataset}/{major} is not published")  # The role's file may be left from an earlier run.
    signed = Metadata[Targets].from_file(str(role)).signed
    return signed.unrecognized_fields["seedbank"], signed.targets


def download(updater, fact):
    """The content of an object. Expands it after python-tuf has compared its length and hash."""
    with gzip.open(updater.download_target(updater.get_targetinfo(fact["path"]))) as file:
        content = file.read(fact["rawLength"] + 1)
    found = hashlib.sha256(content).hexdigest()
    if len(content) > fact["rawLength"] or fact.get("rawSHA256", found) != found:
        raise Refused(f"{fact['path']}: the length or hash of its content differs from the signed one")
    return content


def compare(found, fact, *names):
    for name in ("dataset", "series", "model", "schema", "digest", *names):
        if str(found[name]) != str(fact[name]):
            raise Refused(f"{fact['path']}: {name} is {found[name]}, but the signed metadata has {fact[name]}")


def take(updater, way, current, scratch):
    """Applies deltas to the current file, or to a new one that then becomes the current one."""
    file = current
    if way and not way[0]["from"]:
        file = scratch / "new.sqlite"
        file.write_bytes(download(updater, way[0]))
        with seed.transaction(file) as database:
            compare(seed.meta(database), way[0], "epoch", "version")
            seed.build_indexes(database)
    for fact in (fact for fact in way if fact["from"]):
        delta = seed.document(download(updater, fact))
        compare(delta | {"schemaBefore": seed.before(delta)}, fact, "from", "to", "schemaBefore")
        with seed.transaction(file) as database:
            seed.apply(database, delta)
    if file != current:
        swap(file, current)


def swap(new, current):
    """Makes a file the current one. The old one stays for its readers until the next swap."""
    old, link = current.resolve(), new.with_suffix(".link")
    named = new.rename(current.with_name(f"seed-{os.urandom(8).hex()}.sqlite"))
    os.sync()  # The file is on the disk before the link names it.
    link.symlink_to(named.name)
    link.replace(current)
    for file in set(current.parent.glob("seed-*.sqlite")) - {named, old}:
        file.unlink()


def update(address, root, dataset, model, folder):
    store, shipped = pathlib.Path(folder).resolve(), pathlib.Path(root).read_bytes()
    metadata, scratch, current = store / "metadata", store / "scratch", store / "current.sqlite"
    store.mkdir(parents=True, exist_ok=True)
    fcntl.flock(lock := open(store / "lock", "w"), fcntl.LOCK_EX)
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    updater = Updater(str(metadata), f"{address}/metadata/", str(scratch), f"{address}/targets/", bootstrap=shipped)
    state, targets = published(updater, metadata, dataset, model.split(".")[0])
    facts = usable(state, targets, dataset, model)
    try:
        take(updater, smallest(state, facts, start(state, facts, seed.meta_of(current))), current, scratch)
    except seed.Drift:
        take(updater, smallest(state, facts, (0, None)), current, scratch)
    print(f"version {state['head']} in {current}; update again in {state['pollSeconds']} seconds")


if __name__ == "__main__":
    try:
        update(*sys.argv[1:])
    except (Refused, seed.Drift, DownloadError, RepositoryError) as error:
        sys.exit(f"client.py: the update failed, and the old data stays: {type(error).__name__}: {error}")
