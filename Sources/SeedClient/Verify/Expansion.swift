import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

extension FetchedObject {
  /// Expands a snapshot to `path`; it has the raw length and hash that were signed.
  func expand(to path: String) throws {
    phases.enter(.expanding(bytes: 0, totalBytes: object.rawLength))
    let found = try Compression.expand(self.path, to: path, object.encoding, limit: object.rawLength) {
      try Task.checkCancellation()
      phases.received($0)
    }
    try check(found)
  }

  /// The document of a delta; behind its last piece it has the raw length and hash that were signed, or is an error.
  func document() throws -> DocumentPieces.Source {
    guard object.rawLength <= Limits.deltaBytes else {
      throw SeedError(
        .damaged, "\(object.fileName) would have \(object.rawLength) bytes, more than any delta has")
    }
    let bytes = try DurableFile.read(path, limit: object.length)
    return watched(try GzipPieces(bytes, expected: signed).source)
  }

  /// The same pieces; the applying that takes them can be followed and cancelled.
  private func watched(_ source: @escaping DocumentPieces.Source) -> DocumentPieces.Source {
    { [phases] take in
      try Task.checkCancellation()
      return try source { piece in
        phases.received(piece.count)
        take(piece)
      }
    }
  }

  private var signed: Compression.Measure { .init(length: object.rawLength, sha256: object.rawSHA256) }

  private func check(_ found: Compression.Measure) throws(SeedError) {
    guard found == signed else {
      throw SeedError(.damaged, "\(object.fileName) does not expand to the bytes that were signed")
    }
  }
}
