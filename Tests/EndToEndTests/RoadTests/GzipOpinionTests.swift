import SeedDatabase
import SeedFormat
import SeedTrust
import Support
import Testing

@Suite struct GzipOpinionTests {
  private static let script = """
    import gzip, hashlib, sys, zlib
    stored = open(sys.argv[1], "rb").read()
    whole = zlib.decompressobj(31)
    raw = whole.decompress(stored) + whole.flush()
    assert whole.eof and not whole.unused_data, "more than one member"
    assert raw == gzip.decompress(stored)
    print(hashlib.sha256(raw).hexdigest())
    """

  @Test func `gzip and Python read one member with the original bytes`() throws {
    let folder = try TemporaryFolder()
    try Tool.sqlite(
      folder("raw"),
      """
      CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, photo BLOB);
      INSERT INTO stop SELECT value, 'Stop ' || value * 7919 % 1000, randomblob(value % 90)
        FROM generate_series(1, 60000);
      """)
    let (raw, _) = try Compression.compress(folder("raw"), to: folder("stored.gz"), .gzip, threads: 3)
    #expect(raw.length > 2 * 1024 * 1024)
    try Tool.run(["gzip", "-t", folder("stored.gz")])
    let said = try Tool.run([Tool.python, "-c", Self.script, folder("stored.gz")])
    #expect(said == raw.sha256.hex + "\n")
  }
}
