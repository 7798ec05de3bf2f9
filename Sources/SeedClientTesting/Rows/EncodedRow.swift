import Foundation
import SeedFormat

/// An app's own type, encoded as column values.
struct EncodedRow {
  let values: [String: SeedValue]

  init(_ row: some Encodable) throws {
    let document = try JSONValue(parsing: Array(Self.encoder.encode(row)))
    guard let members = document.members else {
      throw TestPublisherError("it is \(document.kind), but a row has columns: encode an object")
    }
    values = Dictionary(members.map { ($0.name, Self.value($0.value)) }) { $1 }
  }

  /// Marks a blob column's value in JSON, which has no blobs.
  private static let blobMark = "\u{0}blob:"

  private static let encoder: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.dataEncodingStrategy = .custom { data, encoder in
      var container = encoder.singleValueContainer()
      let isColumn = encoder.codingPath.count == 1
      try container.encode((isColumn ? blobMark : "") + data.base64EncodedString())
    }
    return encoder
  }()

  private static func value(_ json: JSONValue) -> SeedValue {
    switch json {
    case .null: return .null
    case .bool(let value): return .integer(value ? 1 : 0)
    case .integer(let value): return .integer(value)
    case .real(let value): return .real(value)
    case .string(let text):
      guard text.hasPrefix(blobMark) else { return .text(text) }
      return .blob(Array(Data(base64Encoded: String(text.dropFirst(blobMark.count))) ?? Data()))
    case .array, .object: return .text(String(decoding: json.bytes, as: UTF8.self))
    }
  }
}
