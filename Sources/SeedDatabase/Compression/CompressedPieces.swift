package import SeedFormat
import SeedSystem
package import SeedTrust

extension Compression {
  /// Compressed bytes expanded at a time; few, because they may grow a thousandfold.
  private static let pieceBytes = 16 * 1024

  /// The document in a compressed file, expanded while it is read. Reading throws if the document exceeds `limit` bytes,
  /// or, at its end, if it is not the `expected` one.
  package static func pieces(
    of path: String, _ encoding: ContentEncoding = .gzip, limit: Int, expected: Measure? = nil
  ) throws -> DocumentPieces.Source {
    let file = try File(path, for: .reading)
    let decoder = try decoder(encoding)
    var meter = Meter()
    var length = 0
    var isComplete = false
    return { take in
      if isComplete { return false }
      let piece = try file.read(pieceBytes)
      isComplete = piece.count < pieceBytes
      try decoder.process(piece, isLast: isComplete) { piece in
        if expected != nil { meter.take(piece) }
        length += piece.count
        guard length <= limit else { throw CompressionError.tooLong(limit: limit) }
        piece.withUnsafeBytes(take)
      }
      if isComplete, let expected, meter.measure() != expected { throw CompressionError.otherContent }
      return true
    }
  }
}
