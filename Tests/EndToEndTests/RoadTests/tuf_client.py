"""python-tuf as an independent judge: downloads and verifies every object of a series, and keeps its state.

    tuf_client.py ADDRESS ROOT.json DATASET MAJOR STATE [ROOT.json STATE]...

ADDRESS is a server, or a publication's folder as file:///... Each further pair is another client.
"""

import os
import pathlib
import sys

from tuf.api.exceptions import DownloadHTTPError
from tuf.api.metadata import Metadata
from tuf.ngclient import FetcherInterface, Updater

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "Examples"))
import client


class Files(FetcherInterface):
    def _fetch(self, url):
        path = pathlib.Path(url.removeprefix("file://"))
        if not path.exists():
            raise DownloadHTTPError("not there", 404)
        return iter([path.read_bytes()])


def verify(root, state):
    downloads = f"{state}/targets"
    os.makedirs(downloads, exist_ok=True)
    updater = Updater(
        state, f"{address}/metadata/", downloads, f"{address}/targets/", bootstrap=pathlib.Path(root).read_bytes(),
        fetcher=Files() if address.startswith("file:") else None)
    _, targets = client.published(updater, state, dataset, major)
    for path in targets:
        updater.download_target(updater.get_targetinfo(path))
    for name in os.listdir(state):
        if name.endswith(".json"):
            signed = Metadata.from_file(f"{state}/{name}").signed
            assert signed.unrecognized_fields.keys() <= {"seedbank"}, f"{name} has fields that TUF does not have"
    assert updater.get_targetinfo("undelegated/1/file") is None
    print(f"verified {len(targets)} targets")


address, root, dataset, major, state, *more = sys.argv[1:]
for pair in [(root, state), *zip(more[::2], more[1::2])]:
    verify(*pair)
