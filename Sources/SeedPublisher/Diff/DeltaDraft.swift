import SeedDatabase
import SeedFormat
import SeedSystem

/// A compressed delta in a temporary file that no metadata names yet.
struct DeltaDraft {
  let header: DeltaHeader
  let path: String
  let raw: Compression.Measure
  let stored: Compression.Measure

  init(_ changes: DeltaWriter, _ header: DeltaHeader, at path: String) throws {
    self.header = header
    self.path = path
    (raw, stored) = try Compression.gzip(to: path) { take in try changes.write(header, to: take) }
  }

  func pieces() throws -> DocumentPieces.Source { try GzipPieces(file: path, limit: raw.length).source }

  func remove() { try? Folder.remove(path) }
}

/// Stores a delta's changes on disk until its header is known. Unlinked while open, so a crash leaves nothing behind.
final class SpillFile: DeltaSpill {
  private let path: String
  private var file: File?
  private var length = 0

  private static let readBytes = 256 * 1024

  init(in folder: String) { path = "\(folder)/delta.spill\(DurableFile.temporarySuffix)" }

  func append(_ bytes: [UInt8]) throws -> Range<Int> {
    if file == nil {
      try Folder.remove(path)
      file = try File(path, for: .updating)
      try Folder.remove(path)
    }
    try file?.write(bytes)
    defer { length += bytes.count }
    return length..<length + bytes.count
  }

  func read(_ range: Range<Int>, _ take: ([UInt8]) throws -> Void) throws {
    for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.readBytes) {
      let count = min(Self.readBytes, range.upperBound - start)
      guard let bytes = try file?.read(count, at: start) else { return }
      try take(bytes)
    }
  }
}
