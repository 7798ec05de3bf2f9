#if os(Linux)
import Foundation
import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

/// A second opinion: python-tuf, an independent implementation, signs metadata for us.
@Suite struct PythonTUFTests {
  private static let publisher = #"""
    import os, sys
    from datetime import datetime, timezone
    from securesystemslib.signer import CryptoSigner
    from tuf.api.metadata import *

    directory = sys.argv[1]
    expires = datetime(2030, 1, 1, tzinfo=timezone.utc)
    names = ["root", "timestamp", "snapshot", "targets", "transit-2"]
    signers = {name: CryptoSigner.generate_ed25519() for name in names}
    root = Root(expires=expires, consistent_snapshot=True,
                unrecognized_fields={"x": {"Ü\n\u0001\"\\": [1, None, "😀"]}})
    for role in names[:4]:
        root.add_key(signers[role].public_key, role)
    key = signers["transit-2"].public_key
    delegated = DelegatedRole("transit-2", [key.keyid], 1, True, paths=["transit/2/*"],
                              unrecognized_fields={"y": 1})
    targets = Targets(version=3, expires=expires,
                      delegations=Delegations({key.keyid: key}, {"transit-2": delegated}))
    snapshot = Snapshot(version=2, expires=expires,
                        meta={"targets.json": MetaFile(3), "transit-2.json": MetaFile(5)})
    series = Targets(version=5, expires=expires)
    algorithms = ["sha256", "sha512"]
    notes = "transit/2/notes.txt"
    series.targets[notes] = TargetFile.from_data(notes, b"notes", algorithms)

    def write(name, role, signed):
        metadata = Metadata(signed)
        metadata.sign(signers[role])
        data = metadata.to_bytes()
        with open(os.path.join(directory, name), "wb") as file:
            file.write(data)
        return data

    data = write("2.snapshot.json", "snapshot", snapshot)
    timestamp = Timestamp(version=7, expires=expires, snapshot_meta=MetaFile.from_data(2, data, algorithms))
    write("1.root.json", "root", root)
    write("3.targets.json", "targets", targets)
    write("5.transit-2.json", "transit-2", series)
    write("timestamp.json", "timestamp", timestamp)
    print("OK")
    """#

  @Test func `metadata signed by python-tuf is accepted with its extra fields`() async throws {
    let folder = try TemporaryFolder(inMemory: true)
    let output = try python(Self.publisher, [folder.path])
    #expect(output == "OK\n", "is python-tuf installed? pip install tuf 'securesystemslib[crypto]'")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let files = try names.reduce(into: [:]) { files, name in
      files[name] = [UInt8](try Data(contentsOf: URL(filePath: folder(name))))
    }
    let root = try #require(files["1.root.json"])
    var refresh = try MetadataRefresh(
      shippedRoot: root, stored: StoredMetadata(read: { _ in nil }, persist: { _, _ in }),
      fetch: { name, _ in files[name] }, now: #require(UTCTime("2029-12-31T23:59:59Z")))
    try await refresh.topLevel()
    try await refresh.targets("transit-2", delegator: "targets")
    #expect(refresh.trusted.targets["transit-2"]?.targets["transit/2/notes.txt"]?.length == 5)
    let again = try CanonicalJSON.bytes(of: refresh.trusted.root.json)
    #expect(try again == Metadata<Root>(parsing: root).signedBytes)
  }
}
#endif
