import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// A published file on this device, still compressed, with the signed length and hash.
struct FetchedObject: Sendable {
  let object: PublishedObject
  let path: String
  var isBundled = false
  var phases = PhaseSender.silent

  /// Removes the file. Call after its contents are stored durably. If this fails, the next update removes it.
  func discard() { if !isBundled { try? Folder.remove(path) } }

  func expand(to path: String) throws {
    phases.enter(.expanding(bytes: 0, totalBytes: object.rawLength))
    let found = try Compression.expand(self.path, to: path, object.encoding, limit: object.rawLength) {
      try Task.checkCancellation()
      phases.advance(bytes: $0)
    }
    guard found.length == object.rawLength, found.sha256 == object.rawSHA256 else {
      throw SeedError(
        .damaged,
        "\(object.fileName) does not expand to the signed bytes: \(SeedError.verifyOnServer)")
    }
  }

  /// Returns a delta's document in pieces. Fails if it expands to more bytes than signed.
  func document() throws -> DocumentPieces.Source {
    guard object.rawLength <= Limits.deltaBytes else {
      throw SeedError(
        .damaged,
        "\(object.fileName) expands to \(object.rawLength) bytes, more than the \(Limits.deltaBytes) allowed "
          + "for a delta: \(SeedError.verifyOnServer)")
    }
    let source = try Compression.pieces(of: path, object.encoding, limit: object.rawLength)
    return { [phases] take in
      try Task.checkCancellation()
      return try source { piece in
        phases.advance(bytes: piece.count)
        take(piece)
      }
    }
  }
}

/// An object that is missing on the server, or does not match its signed hash.
struct UnusableObject: SeedErrorConvertible {
  let object: PublishedObject
  let seedError: SeedError

  /// Returns nil if the error is not about the object.
  init?(_ object: PublishedObject, _ error: any Error) {
    seedError = SeedError(error)
    guard [.missingFile, .damaged].contains(seedError.code) else { return nil }
    self.object = object
  }
}
