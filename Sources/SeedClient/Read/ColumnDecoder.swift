import SeedDatabase
import SeedFormat
import SeedSystem

import struct Foundation.Data
import struct Foundation.Date
import struct Foundation.Decimal
import class Foundation.JSONDecoder
import struct Foundation.URL
import struct Foundation.UUID
import typealias Foundation.uuid_t

/// Decodes one column's value.
struct ColumnDecoder: Decoder {
  let value: ColumnContainer
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// What asks for members or elements is not one value.
  struct IsNoValue: Error {}

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw IsNoValue()
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw IsNoValue() }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { value }
}

/// One column's value, as whatever type is wanted.
struct ColumnContainer: SingleValueDecodingContainer {
  let source: RowSource
  let column: Int32
  /// `nil` where the column is all of the row.
  let member: String?
  var codingPath: [any CodingKey] { [] }

  private var value: BorrowedValue { source.value(column) }

  func misfit(_ wanted: String) -> SeedError { source.misfit(column, member, wanted) }

  private func plain<Value: ColumnValue>() throws -> Value {
    guard let value = Value(value) else { throw misfit(Value.wanted) }
    return value
  }

  func decodeNil() -> Bool { value.isNull }
  func decode(_ type: Bool.Type) throws -> Bool { try plain() }
  func decode(_ type: String.Type) throws -> String { try plain() }
  func decode(_ type: Double.Type) throws -> Double { try plain() }
  func decode(_ type: Float.Type) throws -> Float { try plain() }
  func decode(_ type: Int.Type) throws -> Int { try plain() }
  func decode(_ type: Int8.Type) throws -> Int8 { try plain() }
  func decode(_ type: Int16.Type) throws -> Int16 { try plain() }
  func decode(_ type: Int32.Type) throws -> Int32 { try plain() }
  func decode(_ type: Int64.Type) throws -> Int64 { try plain() }
  func decode(_ type: UInt.Type) throws -> UInt { try plain() }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try plain() }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try plain() }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try plain() }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try plain() }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let known = type as? any ColumnValue.Type { return try cast(known) }
    do {
      return try Value(from: ColumnDecoder(value: self))
    } catch is ColumnDecoder.IsNoValue {
      return try json(type)
    } catch is DecodingError {
      // A case that an enumeration does not have, and the like.
      throw misfit("\(type)")
    }
  }

  private func cast<Value>(_ known: any ColumnValue.Type) throws -> Value {
    guard let value = known.init(value) as? Value else {
      throw misfit(known.wanted)
    }
    return value
  }

  /// Dates are read as those of columns are.
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

  /// Lists and objects are JSON in a text.
  private func json<Value: Decodable>(_ type: Value.Type) throws -> Value {
    guard case .text(let bytes) = value else { throw misfit("\(type), from JSON") }
    do {
      return try Self.decoder.decode(type, from: Data(bytes))
    } catch { throw misfit("\(type), from JSON (\(error))") }
  }
}

/// What a single column can be read as, without another's help.
protocol ColumnValue {
  /// `nil` where the value does not fit.
  init?(_ value: BorrowedValue)
  /// The type, for messages.
  static var wanted: String { get }
}

extension ColumnValue { static var wanted: String { "\(Self.self)" } }

extension ColumnValue where Self: FixedWidthInteger {
  init?(_ value: BorrowedValue) {
    guard case .integer(let value) = value else { return nil }
    self.init(exactly: value)
  }
}

extension Int: ColumnValue {}
extension Int8: ColumnValue {}
extension Int16: ColumnValue {}
extension Int32: ColumnValue {}
extension Int64: ColumnValue {}
extension UInt: ColumnValue {}
extension UInt8: ColumnValue {}
extension UInt16: ColumnValue {}
extension UInt32: ColumnValue {}
extension UInt64: ColumnValue {}

extension Bool: ColumnValue {
  init?(_ value: BorrowedValue) {
    switch value {
    case .integer(0): self = false
    case .integer(1): self = true
    default: return nil
    }
  }

  static var wanted: String { "Bool, 0 or 1" }
}

extension Double: ColumnValue {
  init?(_ value: BorrowedValue) {
    switch value {
    case .integer(let value): self.init(value)
    case .real(let value): self = value
    default: return nil
    }
  }
}

extension Float: ColumnValue {
  init?(_ value: BorrowedValue) {
    guard let value = Double(value) else { return nil }
    self.init(value)
    // Beyond its range.
    if isInfinite, value.isFinite { return nil }
  }
}

extension String: ColumnValue {
  init?(_ value: BorrowedValue) {
    guard case .text(let bytes) = value else { return nil }
    self.init(utf8: bytes)
  }
}

extension [UInt8]: ColumnValue {
  init?(_ value: BorrowedValue) {
    guard case .blob(let bytes) = value else { return nil }
    self = Array(bytes)
  }
}

extension Data: ColumnValue {
  init?(_ value: BorrowedValue) {
    guard case .blob(let bytes) = value else { return nil }
    self.init(bytes)
  }
}

extension UUID: ColumnValue {
  init?(_ value: BorrowedValue) {
    switch value {
    case .text(let bytes): self.init(uuidString: String(decoding: bytes, as: UTF8.self))
    case .blob(let bytes) where bytes.count == MemoryLayout<Self>.size:
      self.init(uuid: UnsafeRawBufferPointer(bytes).loadUnaligned(as: uuid_t.self))
    default: return nil
    }
  }

  static var wanted: String { "UUID, as text or 16 bytes" }
}

extension URL: ColumnValue {
  init?(_ value: BorrowedValue) {
    guard let text = String(value) else { return nil }
    self.init(string: text)
  }
}

extension Decimal: ColumnValue {
  init?(_ value: BorrowedValue) {
    switch value {
    case .integer(let value): self.init(value)
    case .text(let bytes):
      // Foundation takes whatever a text begins with.
      let text = String(decoding: bytes, as: UTF8.self)
      guard text.wholeMatch(of: /[+-]?[0-9]{1,38}(\.[0-9]{1,38})?/) != nil else { return nil }
      self.init(string: text)
    default: return nil
    }
  }

  static var wanted: String { "Decimal, from INTEGER or TEXT, for REAL is not exact" }
}

extension Date: ColumnValue {
  init?(_ value: BorrowedValue) {
    switch value {
    case .integer(let value): self.init(timeIntervalSince1970: Double(value))
    case .real(let value): self.init(timeIntervalSince1970: value)
    case .text(let bytes):
      guard let time = UTCTime.parse(iso8601: bytes, zone: 0) else { return nil }
      self.init(timeIntervalSince1970: Double(time.seconds) + time.fraction)
    default: return nil
    }
  }

  static var wanted: String { "Date, from ISO 8601 or seconds since 1970" }
}
