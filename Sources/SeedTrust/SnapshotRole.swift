package import SeedFormat

/// TUF's snapshot role: the versions of all targets metadata that belong together. (Not a snapshot of a series.)
package struct SnapshotRole: SignedRole {
  package static let type = "snapshot"
  package var header: RoleHeader
  /// Keyed by file name: `targets.json`, `transit-2.json`.
  package let meta: [String: MetaFile]

  package init(header: RoleHeader, meta: [String: MetaFile]) { (self.header, self.meta) = (header, meta) }

  package init(reading fields: inout JSONObjectReader) throws(MalformedJSON) {
    header = try RoleHeader(reading: &fields, type: Self.type)
    meta = try fields.dictionary("meta", MetaFile.init(reading:))
    guard meta["targets.json"] != nil else { throw fields.error("meta", "targets.json is missing") }
  }

  package var members: [JSONMember] { .init(("meta", JSONValue(meta, \.json))) }

  /// Whether the series has metadata. An entry without a digest only names a series that was lost.
  package func lists(_ series: SeedSeries) -> Bool { meta["\(series.roleName).json"]?.hashes != nil }
}

/// TUF's timestamp role, which lists the newest TUF snapshot metadata.
package struct Timestamp: SignedRole {
  package static let type = "timestamp"
  package var header: RoleHeader
  package let snapshot: MetaFile

  private static let snapshotFile = "snapshot.json"

  package init(header: RoleHeader, snapshot: MetaFile) { (self.header, self.snapshot) = (header, snapshot) }

  package init(reading fields: inout JSONObjectReader) throws(MalformedJSON) {
    header = try RoleHeader(reading: &fields, type: Self.type)
    let meta = try fields.dictionary("meta", MetaFile.init(reading:))
    guard let snapshot = meta[Self.snapshotFile], meta.count == 1 else {
      throw fields.error("meta", "expected \(Self.snapshotFile) and nothing else")
    }
    self.snapshot = snapshot
  }

  package var members: [JSONMember] {
    .init(("meta", .object([JSONMember(Self.snapshotFile, snapshot.json)])))
  }
}

package struct MetaFile: Hashable, Sendable {
  package let version: Int
  package let length: Int?
  package let hashes: [String: String]?

  /// Creates an entry for new metadata, with length and digest if `bytes` are given. A digest makes clients replace a
  /// stored file of the same version. Frequently changing roles need a digest, because a publisher restored from a
  /// backup may sign different files under versions that clients already have.
  package init(version: Int, of bytes: [UInt8]? = nil) {
    self.version = version
    length = bytes?.count
    hashes = bytes.map { ["sha256": SHA256Digest.of($0).hex] }
  }

  init(reading fields: inout JSONObjectReader) throws(MalformedJSON) {
    version = try fields.integer("version", from: 1)
    length = try fields.integerIfPresent("length", from: 0)
    hashes = fields.has("hashes") ? try fields.hashes() : nil
  }

  /// Throws if the length or a digest differs from the signed one, or if a digest's algorithm is unknown.
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
      .init(("version", JSONValue(version)), ("length", length.map { JSONValue($0) }), ("hashes", hashes)))
  }
}

/// Hexadecimal digests of a file by algorithm, as TUF lists them.
package enum FileHashes {
  /// Returns an algorithm that is unknown or whose digest differs; nil if all match.
  package static func mismatch(in hashes: [String: String], of bytes: [UInt8]) -> String? {
    hashes.first { algorithm, digest in
      switch algorithm {
      case "sha256": digest != SHA256Digest.of(bytes).hex
      case "sha512": digest != lowerHex(sha512(bytes))
      default: true
      }
    }?.key
  }
}

extension JSONObjectReader {
  mutating func hashes() throws(MalformedJSON) -> [String: String] {
    let object = try object("hashes")
    guard !object.unread.isEmpty else { throw error("hashes", "is empty") }
    return try object.byName { member throws(MalformedJSON) in
      guard let digest = member.value.string else { throw object.error(member.name, "expected a string") }
      return digest
    }
  }
}
