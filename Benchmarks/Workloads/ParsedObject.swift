import Foundation
import SeedFormat

/// An object from JSONSerialization, read by a table's columns.
struct ParsedObject {
  let members: [String: Any]

  init(_ any: Any?) throws {
    guard let members = any as? [String: Any] else {
      throw BenchmarkError.unexpected("value", in: "a parsed document")
    }
    self.members = members
  }

  static func document(_ data: Data) throws -> ParsedObject {
    try ParsedObject(JSONSerialization.jsonObject(with: data))
  }

  func objects(_ name: String) throws -> [ParsedObject] { try Self.objects(members[name]) }

  static func objects(_ any: Any?) throws -> [ParsedObject] {
    guard let list = any as? [Any] else { throw BenchmarkError.unexpected("value", in: "a parsed list") }
    return try list.map(ParsedObject.init)
  }

  func values(_ columns: [Column]) throws -> [SeedValue] { try columns.map(value) }

  func value(_ column: Column) throws -> SeedValue {
    let member = members[column.name]
    switch column.kind {
    case .integer: if let value = member as? Int { return .integer(Int64(value)) }
    case .real: if let value = member as? Double { return .real(value) }
    case .text: if let value = member as? String { return .text(value) }
    }
    throw BenchmarkError.unexpected("member", in: column.name)
  }
}
