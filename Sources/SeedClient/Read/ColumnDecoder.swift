import SeedDatabase
import SeedFormat

import struct Foundation.Data
import struct Foundation.Date
import class Foundation.JSONDecoder

/// Decodes one column's value: a plain SQLite value, or JSON in a string.
final class ColumnDecoder: Decoder {
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  private let value: ColumnContainer
  /// The type for messages; `nil` if the app's own `init(from:)` asked for this decoder.
  private let type: Any.Type?
  private(set) var isJSON = false

  init(_ value: ColumnContainer, of type: Any.Type? = nil) { (self.value, self.type) = (value, type) }

  func container<Key: CodingKey>(keyedBy key: Key.Type) throws -> KeyedDecodingContainer<Key> {
    try json("an object") { try $0.container(keyedBy: key) }
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try json("a list") { try $0.unkeyedContainer() }
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { value }

  private func json<Opened>(_ kind: String, _ open: (any Decoder) throws -> Opened) throws -> Opened {
    guard case .text(let bytes) = value.borrowed else { throw misfit(kind) }
    isJSON = true
    do {
      return try open(Self.decoder.decode(Piece.self, from: Data(bytes)).decoder)
    } catch { throw misfit(kind, " (\(error))") }
  }

  private func misfit(_ kind: String, _ reason: String = "") -> SeedError {
    value.misfit("\(type.map { "\($0)" } ?? kind), from JSON\(reason)")
  }

  private struct Piece: Decodable {
    let decoder: any Decoder
    init(from decoder: any Decoder) { self.decoder = decoder }
  }

  private static let decoder: JSONDecoder = {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let container = try decoder.singleValueContainer()
      if let seconds = try? container.decode(Double.self) { return Date(timeIntervalSince1970: seconds) }
      var text = try container.decode(String.self)
      guard let date = text.withUTF8({ Date(BorrowedValue.text($0)) }) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected \(Date.wanted)")
      }
      return date
    }
    return decoder
  }()
}

struct ColumnContainer: SingleValueDecodingContainer {
  let source: any ColumnSource
  let column: Int32
  let member: String?
  var codingPath: [any CodingKey] { [] }

  var borrowed: BorrowedValue { source.value(column) }

  func misfit(_ wanted: String) -> SeedError { source.misfit(column, member, wanted) }

  func decodeNil() -> Bool { borrowed.isNull }

  /// Implements the protocol's functions for `Bool`, `String` and numbers.
  func decode<Value: ColumnValue>(_ type: Value.Type) throws -> Value {
    guard let value = Value(borrowed) else { throw misfit(Value.wanted) }
    return value
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let known = type as? any ColumnValue.Type { return try cast(known) }
    let decoder = ColumnDecoder(self, of: type)
    do {
      return try Value(from: decoder)
    } catch let error as DecodingError {
      // For example, an unknown case of an enumeration.
      throw misfit("\(type)\(decoder.isJSON ? ", from JSON" : "") (\(error))")
    }
  }

  private func cast<Value>(_ known: any ColumnValue.Type) throws -> Value {
    guard let value = known.init(borrowed) as? Value else { throw misfit(known.wanted) }
    return value
  }
}

/// The value of a column, independent of a statement.
final class OwnedColumn: ColumnSource {
  private let name: String
  private let bytes = LentBytes()
  private let borrowed: BorrowedValue

  init(_ name: String, _ value: SeedValue) { (self.name, borrowed) = (name, bytes.lend(value)) }

  func value(_ column: Int32) -> BorrowedValue { borrowed }

  func misfit(_ column: Int32, _ member: String?, _ wanted: String) -> SeedError {
    let remedy = borrowed.isNull ? " (make it optional)" : ""
    return SeedError(.decoding, "column \"\(name)\" is \(borrowed.shown), but it must be \(wanted)\(remedy)")
  }
}

extension SeedRow {
  /// Returns a column's value, decoded like a member of a typed row; fails with ``SeedError/Code/decoding``.
  public func get<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
    guard let value = self[name] else { throw missing(name) }
    let column = OwnedColumn(name, value)
    do {
      return try ColumnContainer(source: column, column: 0, member: nil).decode(type)
    } catch let error where !(error is SeedError) { throw column.misfit(0, nil, "\(type) (\(error))") }
  }

  private func missing(_ name: String) -> SeedError {
    let nearest = nearestName(to: name, in: names).map { ", did you mean \"\($0)\"?" } ?? ""
    return SeedError(
      .decoding,
      "the row has no column \"\(name)\"\(nearest) (the query returns \(names.joined(separator: ", ")))")
  }
}
