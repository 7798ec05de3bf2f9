import SeedDatabase
import SeedFormat
import SeedSystem

import struct Foundation.Data
import struct Foundation.Date
import struct Foundation.Decimal
import struct Foundation.URL
import struct Foundation.UUID
import typealias Foundation.uuid_t

protocol ColumnValue: Decodable {
  init?(_ value: BorrowedValue)
  /// The type's name in messages.
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
    if isInfinite, value.isFinite { return nil }
  }
}

extension String: ColumnValue {
  init?(_ value: BorrowedValue) {
    guard case .text(let bytes) = value else { return nil }
    self.init(utf8: bytes)
  }
}

extension SeedValue: ColumnValue {
  init?(_ value: BorrowedValue) {
    guard case .text = value else {
      self = value.owned
      return
    }
    guard let text = String(value) else { return nil }
    self = .text(text)
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
      // Foundation accepts any text with a numeric prefix.
      let text = String(decoding: bytes, as: UTF8.self)
      guard text.wholeMatch(of: /[+-]?[0-9]{1,38}(\.[0-9]{1,38})?/) != nil else { return nil }
      self.init(string: text)
    default: return nil
    }
  }

  static var wanted: String { "Decimal, from INTEGER or TEXT; REAL is not exact" }
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
