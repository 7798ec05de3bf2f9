import SeedDatabase
import SeedFormat
import SeedTrust

/// Looks at one file of a publication or a store.
struct Inspection {
  private let path: String

  init(_ path: String) { self.path = path }

  /// What a file is, by its first bytes.
  private enum Kind { case seed, gzip, xz, delta }

  /// Bytes that tell the kinds apart.
  private static let signatureBytes = 16

  /// Everything there is to say, in order.
  func findings() throws -> [JSONMember] {
    let name = JSONMember("file", .string(path))
    switch try kind() {
    case .seed: return [name] + (try SeedInspection.findings(path))
    case .delta: return [name] + (try DeltaInspection.findings(try read()))
    case .gzip: return [name] + (try expanded(.gzip))
    case .xz: return [name] + (try expanded(.xz))
    }
  }

  private func kind() throws -> Kind {
    let start = try File(path, for: .reading).read(Self.signatureBytes)
    if start.elementsEqual("SQLite format 3\u{0}".utf8) { return .seed }
    if start.starts(with: [0x1F, 0x8B]) { return .gzip }
    if start.starts(with: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]) { return .xz }
    if start.first == UInt8(ascii: "{") { return .delta }
    throw CommandFailure(
      .badData,
      "\(path.printable) is neither a SQLite file nor a delta, compressed or not: expected one of these.")
  }

  private func expanded(_ encoding: ContentEncoding) throws -> [JSONMember] {
    let temporary = try TemporaryFile()
    let raw = try Compression.expand(path, to: temporary.path, encoding, limit: .max)
    let inner = Inspection(temporary.path)
    let findings =
      switch try inner.kind() {
      case .seed: try SeedInspection.findings(temporary.path)
      case .delta: try DeltaInspection.findings(try inner.read())
      case .gzip, .xz:
        throw CommandFailure(
          .badData, "\(path.printable) is compressed twice: expected a seed or a delta in it.")
      }
    return [
      JSONMember("encoding", .string(encoding.rawValue)),
      JSONMember("rawLength", .integer(Int64(raw.length))),
      JSONMember("rawSHA256", .string(raw.sha256.hex)),
    ] + findings
  }

  private func read() throws -> [UInt8] { try DurableFile.read(path, limit: Limits.deltaBytes) }
}
