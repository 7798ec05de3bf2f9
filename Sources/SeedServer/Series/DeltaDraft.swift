import SeedDatabase
import SeedFormat
import SeedSystem

/// A delta in a file of its own, compressed, that no metadata names yet.
struct DeltaDraft {
  let header: DeltaHeader
  /// Where the file is.
  let path: String
  let raw: Compression.Measure
  let stored: Compression.Measure

  /// Writes the changes as a document to a new file.
  init(_ changes: DeltaWriter, _ header: DeltaHeader, at path: String) throws {
    self.header = header
    self.path = path
    (raw, stored) = try Compression.gzip(to: path) { take in try changes.write(header, to: take) }
  }

  /// The document.
  func pieces() throws -> DocumentPieces.Source {
    try GzipPieces(file: path, limit: raw.length).source
  }

  /// Removes the file, if it has not got its place yet.
  func remove() { try? Folder.remove(path) }
}
