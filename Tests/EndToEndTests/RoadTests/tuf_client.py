"""python-tuf as an independent judge: downloads and verifies every target of a series through the front.

    tuf_client.py ADDRESS ROOT.json SERIES_PREFIX
"""

import os
import sys
import tempfile

from tuf.api.metadata import Metadata, Targets
from tuf.ngclient import Updater

address, root_path, prefix = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    metadata, targets = os.path.join(folder, "metadata"), os.path.join(folder, "targets")
    os.mkdir(metadata)
    os.mkdir(targets)
    with open(root_path, "rb") as root:
        updater = Updater(
            metadata, f"{address}/metadata/", targets, f"{address}/targets/", bootstrap=root.read()
        )
        updater.refresh()
        # Looking up a name that no one has makes the updater fetch every delegated role on the way.
        assert updater.get_targetinfo(prefix + "nothing") is None
        role = prefix.rstrip("/").replace("/", "-")
        listed = Metadata[Targets].from_file(os.path.join(metadata, role + ".json")).signed.targets
        for name in sorted(listed):
            info = updater.get_targetinfo(name)
            path = updater.download_target(info)
            assert os.path.getsize(path) == info.length
        print(f"verified {len(listed)} targets")
