import SeedDatabase
import SeedSystem
import SeedTrust

/// What a file is, by its first bytes.
enum FileKind {
  case database, gzip, xz, json

  /// Bytes that tell the kinds apart.
  private static let signatureBytes = 16

  init(_ path: String) throws {
    let start = try File(path, for: .reading).read(Self.signatureBytes)
    if start.elementsEqual("SQLite format 3\u{0}".utf8) {
      self = .database
    } else if start.starts(with: [0x1F, 0x8B]) {
      self = .gzip
    } else if start.starts(with: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]) {
      self = .xz
    } else if start.first == UInt8(ascii: "{") {
      self = .json
    } else {
      throw CommandFailure(
        .badData,
        "\(path.printable) is neither a SQLite file nor a delta, compressed or not, nor metadata: expected one of these."
      )
    }
  }

  /// How the file is compressed, where it is.
  var encoding: ContentEncoding? {
    switch self {
    case .gzip: .gzip
    case .xz: .xz
    case .database, .json: nil
    }
  }
}
