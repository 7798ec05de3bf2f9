package import SeedFormat

/// TUF's snapshot role: the versions of all targets metadata that belong together. (Not a snapshot of a
/// series.)
package struct SnapshotRole: SignedRole {
  package static let type = "snapshot"
  package var header: RoleHeader
  /// The files by name: `targets.json`, `transit-2.json`.
  package let meta: [String: MetaFile]

  /// For new metadata.
  package init(header: RoleHeader, meta: [String: MetaFile]) {
    self.header = header
    self.meta = meta
  }

  package init(reading fields: inout JSONObjectReader) throws(MalformedJSON) {
    header = try RoleHeader(reading: &fields, type: Self.type)
    meta = try fields.dictionary("meta") { file throws(MalformedJSON) in try MetaFile(reading: &file) }
    guard meta["targets.json"] != nil else { throw fields.error("meta", "targets.json is missing") }
  }

  package var members: [JSONMember] { .init(("meta", JSONValue(meta, \.json))) }
}

/// TUF's timestamp role: the newest TUF snapshot metadata.
package struct Timestamp: SignedRole {
  package static let type = "timestamp"
  package var header: RoleHeader
  /// What `snapshot.json` must be.
  package let snapshot: MetaFile

  private static let snapshotFile = "snapshot.json"

  /// For new metadata.
  package init(header: RoleHeader, snapshot: MetaFile) {
    self.header = header
    self.snapshot = snapshot
  }

  package init(reading fields: inout JSONObjectReader) throws(MalformedJSON) {
    header = try RoleHeader(reading: &fields, type: Self.type)
    let meta = try fields.dictionary("meta") { file throws(MalformedJSON) in try MetaFile(reading: &file) }
    guard let snapshot = meta[Self.snapshotFile], meta.count == 1 else {
      throw fields.error("meta", "expected \(Self.snapshotFile) and nothing else")
    }
    self.snapshot = snapshot
  }

  package var members: [JSONMember] {
    .init(("meta", .object([JSONMember(Self.snapshotFile, snapshot.json)])))
  }
}

/// What one metadata file says about another.
package struct MetaFile: Hashable, Sendable {
  /// The version that counts.
  package let version: Int
  /// Bytes, where given.
  package let length: Int?
  /// Hexadecimal digests by the algorithm's name, where given.
  package let hashes: [String: String]?
  private let other: [JSONMember]

  /// For new metadata: the version, and what the file's bytes are where they are given.
  ///
  /// Without a digest a client keeps a file of that version that it has. A publisher that was restored from a backup
  /// signs other files under versions that clients have seen, so a role that changes often has one.
  package init(version: Int, of bytes: [UInt8]? = nil) {
    self.version = version
    length = bytes?.count
    hashes = bytes.map { ["sha256": SHA256Digest.of($0).hex] }
    other = []
  }

  init(reading fields: inout JSONObjectReader) throws(MalformedJSON) {
    version = try fields.integer("version", from: 1)
    length = try fields.integerIfPresent("length", from: 0)
    hashes = fields.unread.contains { $0.name == "hashes" } ? try fields.hashes() : nil
    other = fields.unread
  }

  /// Fails where the bytes have another length or digest than was signed, or a digest of a kind unknown here.
  func check(_ bytes: [UInt8], of role: String) throws(TrustError) {
    if let length, length != bytes.count {
      throw .lengthMismatch(role: role, signed: length, found: bytes.count)
    }
    if let algorithm = FileHashes.mismatch(in: hashes ?? [:], of: bytes) {
      throw .hashMismatch(role: role, algorithm: algorithm)
    }
  }

  var json: JSONValue {
    let hashes = hashes.map { JSONValue($0, JSONValue.string) }
    return .object(
      .init(("version", JSONValue(version)), ("length", length.map { JSONValue($0) }), ("hashes", hashes))
        + other)
  }
}
