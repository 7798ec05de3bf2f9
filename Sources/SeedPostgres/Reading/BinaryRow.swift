import SeedDatabase
import SeedFormat
import SeedSystem

/// Parses messages of COPY in binary format: a header before the first row, one message per row, and a trailer.
struct BinaryRow {
  /// Each field's bytes in the message; nil for NULL.
  private(set) var fields: [UnsafeRawBufferPointer?] = []

  /// The number of header bytes before the extension. The last four of them give the extension's length.
  private static let headBytes = 19
  private static let signature = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00]

  struct Malformed: Error {}

  static func behindHead(_ message: UnsafeRawBufferPointer) throws(Malformed) -> UnsafeRawBufferPointer {
    guard message.count >= headBytes, message.starts(with: signature) else { throw Malformed() }
    let extra = Int(integer(message, at: headBytes - 4, UInt32.self))
    guard message.count >= headBytes + extra else { throw Malformed() }
    return UnsafeRawBufferPointer(rebasing: message[(headBytes + extra)...])
  }

  /// Finds the fields of a row. Returns false for the trailer.
  mutating func read(_ row: UnsafeRawBufferPointer, count: Int) throws(Malformed) -> Bool {
    guard row.count >= 2 else { throw Malformed() }
    let said = Self.integer(row, at: 0, Int16.self)
    if said == -1 { return false }
    guard said == count else { throw Malformed() }
    fields.removeAll(keepingCapacity: true)
    var place = 2
    for _ in 0..<count {
      guard row.count >= place + 4 else { throw Malformed() }
      let length = Int(Self.integer(row, at: place, Int32.self))
      place += 4
      guard length >= 0 else {
        fields.append(nil)
        continue
      }
      guard row.count >= place + length else { throw Malformed() }
      fields.append(UnsafeRawBufferPointer(rebasing: row[place..<place + length]))
      place += length
    }
    return true
  }

  static func integer<Number: FixedWidthInteger>(
    _ bytes: UnsafeRawBufferPointer, at place: Int, _: Number.Type
  ) -> Number { Number(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: Number.self)) }
}

extension ValueForm {
  /// The reason why a client cannot store a field. It continues a sentence that ends with "holds".
  struct Unfit: Error { let reason: String }

  /// Microseconds from 1970 to 2000.
  private static let millennium: Int64 = 946_684_800_000_000

  /// Returns a field's value. Strings and blobs point into the message.
  func value(_ field: UnsafeRawBufferPointer) throws -> BorrowedValue {
    switch self {
    case .bool: .integer(field.first == 1 ? 1 : 0)
    case .integer(let bytes): .integer(try Self.integer(field, bytes: bytes))
    case .real: .real(try Self.real(Double(bitPattern: UInt64(bitPattern: Self.integer(field, bytes: 8)))))
    case .text: .text(field.assumingMemoryBound(to: UInt8.self))
    case .blob: .blob(field.assumingMemoryBound(to: UInt8.self))
    case .spelled(let affinity):
      try Self.spelled(String(decoding: field, as: UTF8.self), affinity)
        ?? .text(field.assumingMemoryBound(to: UInt8.self))
    case .digits(let affinity): try Self.number(String(decoding: field, as: UTF8.self), affinity)
    case .time(let affinity): try Self.time(try Self.integer(field, bytes: 8), affinity)
    }
  }

  /// Returns the field's value for an error message about a row that does not fit.
  func shown(_ field: UnsafeRawBufferPointer?) -> BorrowedValue {
    guard case .spelled = self, let field else { return .null }
    return .text(field.assumingMemoryBound(to: UInt8.self))
  }

  private static func integer(_ field: UnsafeRawBufferPointer, bytes: Int) throws -> Int64 {
    guard field.count == bytes else { throw BinaryRow.Malformed() }
    return switch bytes {
    case 2: Int64(BinaryRow.integer(field, at: 0, Int16.self))
    case 4: Int64(BinaryRow.integer(field, at: 0, Int32.self))
    default: BinaryRow.integer(field, at: 0, Int64.self)
    }
  }

  /// Rejects NaN, which SQLite would store as NULL.
  private static func real(_ value: Double) throws(Unfit) -> Double {
    guard value.isNaN else { return value }
    throw Unfit(reason: "NaN, which SQLite cannot store: make it NULL, or make the client's column TEXT")
  }

  /// An INTEGER column gets whole numbers, and a REAL column gets the nearest double.
  private static func number(_ digits: String, _ affinity: Affinity) throws(Unfit) -> BorrowedValue {
    if affinity != .real, let whole = whole(digits) { return .integer(whole) }
    guard digits.last?.isNumber == true else {
      throw Unfit(reason: "\(digits), which is not a number: make it NULL, or make the client's column TEXT")
    }
    guard affinity != .integer else {
      throw Unfit(reason: "a number that does not fit INTEGER: make the client's column TEXT or REAL")
    }
    guard let real = Double(digits), real.isFinite else {
      throw Unfit(reason: "a number that does not fit REAL: make the client's column TEXT")
    }
    return .real(real)
  }

  /// In a numeric column, SQLite converts strings that look like numbers and keeps other strings. So that nothing is
  /// lost, a string is accepted only if it is the canonical form of its number. Returns nil for a string that a
  /// NUMERIC column, such as one declared DATE, stores unchanged.
  private static func spelled(_ text: String, _ affinity: Affinity) throws(Unfit) -> BorrowedValue? {
    if let whole = Int64(text), String(whole) == text {
      guard affinity == .real else { return .integer(whole) }
      if let real = Double(exactly: whole) { return .real(real) }
    }
    if affinity != .integer, let real = Double(text), real.isFinite, "\(real)" == text { return .real(real) }
    if affinity == .numeric, !looksLikeNumber(text) { return nil }
    throw Unfit(
      reason:
        "a string that is not a number in canonical form: cast it to a number in the model's SELECT, or make the client's "
        + "column TEXT")
  }

  private static func looksLikeNumber(_ text: String) -> Bool {
    let bare = text.split(whereSeparator: \.isWhitespace)
    return bare.count == 1 && Double(bare[0]) != nil && bare[0].allSatisfy { "0123456789+-.eE".contains($0) }
  }

  private static func whole(_ digits: String) -> Int64? {
    let parts = digits.split(separator: ".")
    return parts.dropFirst().allSatisfy { $0.allSatisfy { $0 == "0" } }
      ? parts.first.flatMap { Int64($0) } : nil
  }

  private static func time(_ microseconds: Int64, _ affinity: Affinity) throws(Unfit) -> BorrowedValue {
    let (time, isBeyond) = microseconds.addingReportingOverflow(millennium)
    guard microseconds != .min, microseconds != .max, !isBeyond else {
      throw Unfit(reason: "infinity, which is not a number: make it NULL, or make the client's column TEXT")
    }
    return affinity == .integer ? .integer(time) : .real(Double(time) / 1_000_000)
  }
}
