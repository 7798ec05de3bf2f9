import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// Looks at one file of a publication or a store.
struct Inspection {
  private let path: String

  init(_ path: String) { self.path = path }

  /// Everything there is to say, in order.
  func findings() throws -> [JSONMember] {
    let (name, kind) = (JSONMember("file", .string(path)), try FileKind(path))
    guard let encoding = kind.encoding else { return [name] + (try Self.findings(kind, path)) }
    return [name] + (try expanded(encoding))
  }

  private static func findings(_ kind: FileKind, _ path: String) throws -> [JSONMember] {
    switch kind {
    case .database: try SeedInspection.findings(path)
    default: try document(try DurableFile.read(path, limit: Limits.deltaBytes))
    }
  }

  private static func document(_ bytes: [UInt8]) throws -> [JSONMember] {
    // A delta begins otherwise, and may be too large to be read as a tree.
    let isSmall = bytes.count <= Limits.metadataBytes
    return try (isSmall ? MetadataInspection.findings(bytes) : nil) ?? DeltaInspection.findings(bytes)
  }

  private func expanded(_ encoding: ContentEncoding) throws -> [JSONMember] {
    let scratch = try ScratchFolder()
    defer { scratch.remove() }
    let inner = scratch.file("expanded")
    let raw = try Compression.expand(path, to: inner, encoding, limit: .max)
    let kind = try FileKind(inner)
    guard kind.encoding == nil else {
      throw CommandFailure(
        .badData, "\(path.printable) is compressed twice: expected a seed or a delta in it.")
    }
    return [
      JSONMember("encoding", .string(encoding.rawValue)),
      JSONMember("rawLength", .integer(Int64(raw.length))),
      JSONMember("rawSHA256", .string(raw.sha256.hex)),
    ] + (try Self.findings(kind, inner))
  }
}
