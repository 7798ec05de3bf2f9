import SeedFormat
import SeedSystem
import SeedTrust

/// The ETag. `digest` is the SHA-256 of a document's bytes, the signed digest of an object, or the SHA-256 of the
/// gzip stream of a ``ChangesPage``.
func entityTag(_ digest: SHA256Digest) -> String { "\"\(digest.hex)\"" }

/// The ETag of a second representation (RFC 9110, 8.8.3.3): `tag`, the ETag of the first, with the suffix `-gzip`
/// for compressed metadata, or `-identity` for an uncompressed ``ChangesPage``.
func entityTag(_ tag: String, of coding: String) -> String { "\(tag.dropLast())-\(coding)\"" }

struct ServedDocument: Hashable, Sendable {
  let bytes: [UInt8]
  /// With quotes, as in `ETag`.
  let tag: String

  init(_ bytes: [UInt8]) { (self.bytes, tag) = (bytes, entityTag(SHA256Digest.of(bytes))) }

  init(_ json: JSONValue) { self.init(json.bytes + [UInt8(ascii: "\n")]) }
}

struct CatalogObject: Sendable {
  let object: PublishedObject
  let tag: String
  let lastModified: String
  /// RFC 9530: `sha-256=:…:`.
  let digest: String
  let epoch: Epoch

  init(_ object: PublishedObject, of state: SeriesState) {
    (self.object, epoch) = (object, state.epoch)
    tag = entityTag(object.sha256)
    lastModified = state.publishedAt.httpText
    digest = "sha-256=:\(Base64.encode(object.sha256.bytes)):"
  }

  var mediaType: String {
    switch object.encoding {
    case .gzip: "application/gzip"
    case .xz: "application/x-xz"
    }
  }
}
