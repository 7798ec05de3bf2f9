"""python-tuf as a client of a publication on disk. What it trusts it keeps in STATE, or begins with ROOT.json.

    tuf_follow.py PUBLICATION STATE ROOT.json SERIES_PREFIX
"""

import os
import sys

from tuf.api.exceptions import DownloadHTTPError
from tuf.api.metadata import Metadata, Targets
from tuf.ngclient import FetcherInterface, Updater


class Files(FetcherInterface):
    def _fetch(self, url):
        path = url.removeprefix("file://")
        if not os.path.exists(path):
            raise DownloadHTTPError("not there", 404)
        with open(path, "rb") as file:
            return iter([file.read()])


publication, state, root_path, prefix = sys.argv[1:]
downloads = os.path.join(state, "targets")
os.makedirs(downloads, exist_ok=True)
with open(root_path, "rb") as file:
    root = file.read()
updater = Updater(
    state,
    f"file://{publication}/metadata",
    downloads,
    f"file://{publication}/targets",
    fetcher=Files(),
    bootstrap=None if os.path.exists(os.path.join(state, "root.json")) else root,
)
updater.refresh()
assert updater.get_targetinfo(prefix + "nothing") is None
role = prefix.rstrip("/").replace("/", "-")
for name in Metadata[Targets].from_file(os.path.join(state, role + ".json")).signed.targets:
    updater.download_target(updater.get_targetinfo(name))
print("OK")
