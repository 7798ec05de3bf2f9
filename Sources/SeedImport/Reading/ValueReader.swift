import SeedDatabase
import SeedFormat
import SeedSystem

final class ValueReader {
  let bytes = LentBytes()

  /// A column and its conversion. This is a class, because every value reads one, and a struct's strings would be
  /// retained and released each time.
  final class Target {
    let column: Int
    let schema: ColumnSchema
    let conversion: ImportConversion

    init(column: Int, schema: ColumnSchema, conversion: ImportConversion = .automatic) {
      (self.column, self.schema, self.conversion) = (column, schema, conversion)
    }
  }

  func read(
    _ index: Int, _ source: borrowing DocumentSource, for target: Target
  ) throws(RejectedRow) -> BorrowedValue {
    do throws(RejectedRow) {
      return try value(index, source, target)
    } catch {
      throw RejectedRow(
        error.code, error.message, column: target.schema.name, offset: source.tape.offset(index))
    }
  }

  private func value(
    _ index: Int, _ source: borrowing DocumentSource, _ target: Target
  ) throws(RejectedRow) -> BorrowedValue {
    if source.tape.kind(index) == .null { return .null }
    switch target.conversion {
    case .automatic: return try automatic(index, source, target.schema)
    case .date(let format, let form, let zone):
      return try date(index, source, target.schema, DateReader(format: format, form: form, zone: zone))
    case .base64: return try blob(index, source)
    case .json: return .text(source.json(index).withUnsafeBufferPointer { bytes.copy($0) })
    case .custom(let convert): return try custom(index, source, convert)
    }
  }

  /// Reads a member's name like a string. An integer must be canonical, because other spellings mean the same key.
  func read(name: String, for target: Target) throws(RejectedRow) -> BorrowedValue {
    let column = target.schema
    guard case .text(let text) = bytes.lend(.text(name)) else { return .null }
    if column.affinity == .integer, Int64(name).map(String.init) != name {
      throw RejectedRow(
        .typeMismatch, "expected a whole number of 64 bits as the row's key, found \(quote(text))",
        column: column.name)
    }
    do throws(RejectedRow) {
      return try string(text, column)
    } catch { throw RejectedRow(error.code, error.message, column: column.name) }
  }

  /// A value of the mapping, as the column stores it; `nil` if the column would reject it in a document.
  func fit(_ value: SeedValue, _ column: ColumnSchema) -> SeedValue? {
    switch (value, column.affinity) {
    case (.text(var text), _): return text.withUTF8 { text in try? string(text, column).owned }
    case (.real(let real), .integer): return Int64(exactly: real).map { .integer($0) }
    case (.integer(let integer), .real): return .real(Double(integer))
    case (.blob, .integer), (.blob, .real): return nil
    default: return value
    }
  }

  private func automatic(
    _ index: Int, _ source: borrowing DocumentSource, _ column: ColumnSchema
  ) throws(RejectedRow) -> BorrowedValue {
    switch source.tape.kind(index) {
    case .null: return .null
    case .no: return .integer(0)
    case .yes: return .integer(1)
    case .integer, .real, .beyond: return try number(index, source, column.affinity)
    case .string, .name:
      // A copied string must stay valid while other rows are read.
      let text = source.tape.isCopied(index) ? bytes.copy(source.text(index)) : source.text(index)
      return try string(digits(text, source, column.affinity), column, found: text)
    case .object, .array:
      throw RejectedRow(.typeMismatch, "expected a plain value, found an object or an array")
    }
  }

  /// Rewrites a number as JSON writes it; returns any other text, and all text for TEXT columns, unchanged.
  private func digits(
    _ text: UnsafeBufferPointer<UInt8>, _ source: borrowing DocumentSource, _ affinity: Affinity
  ) -> UnsafeBufferPointer<UInt8> {
    guard source.isRecord, affinity.isOfNumbers, NumberSpelling.isOther(text),
      let plain = NumberSpelling.plain(text)
    else { return text }
    return plain.withUnsafeBufferPointer { bytes.copy($0) }
  }

  /// Converts a number for its column: TEXT keeps the digits, and a fraction is never rounded to an integer.
  private func number(
    _ index: Int, _ source: borrowing DocumentSource, _ affinity: Affinity
  ) throws(RejectedRow) -> BorrowedValue {
    switch (source.tape.kind(index), affinity) {
    case (_, .text): return .text(source.digits(index))
    case (.integer, .real): return .real(Double(source.tape.integer(index)))
    case (.integer, _): return .integer(source.tape.integer(index))
    case (.real, .integer): return .integer(try whole(source.digits(index)))
    case (.real, _): return .real(source.tape.real(index))
    case (_, let affinity): return .real(try beyond(source.digits(index), affinity))
    }
  }

  /// Converts a number beyond 64 bits or a double's range; only REAL accepts the nearest double of an integer.
  private func beyond(
    _ digits: UnsafeBufferPointer<UInt8>, _ affinity: Affinity
  ) throws(RejectedRow) -> Double {
    guard let real = spelledDouble(digits) else {
      throw RejectedRow(
        .outOfRange, "the number \(clipped(digits)) is beyond a double's range: only a TEXT column takes it")
    }
    guard affinity == .real else {
      throw RejectedRow(
        .outOfRange,
        "the whole number \(clipped(digits)) does not fit 64 bits: a TEXT column stores it exactly, a REAL column only approximately"
      )
    }
    return real
  }

  private func whole(_ digits: UnsafeBufferPointer<UInt8>) throws(RejectedRow) -> Int64 {
    if let whole = spelledInteger(digits) { return whole }
    throw RejectedRow(.typeMismatch, "expected a whole number of 64 bits, found \(clipped(digits))")
  }

  private func string(
    _ text: UnsafeBufferPointer<UInt8>, _ column: ColumnSchema, found: UnsafeBufferPointer<UInt8>? = nil
  ) throws(RejectedRow) -> BorrowedValue {
    switch column.affinity {
    case .text: return .text(text)
    case .numeric:
      guard NumberSpelling.isBeyond(text) else { return .text(text) }
      throw RejectedRow(
        .outOfRange, "the number \(quote(found ?? text)) does not fit 64 bits: a TEXT column keeps it")
    case .integer:
      if case .integer(let value)? = spelledNumber(text) { return .integer(value) }
      throw RejectedRow(.typeMismatch, "expected a whole number of 64 bits, found \(quote(found ?? text))")
    case .real:
      if let value = spelledDouble(text) { return .real(value) }
      throw RejectedRow(.typeMismatch, "expected a number, found \(quote(found ?? text))")
    case .blob:
      guard column.declaredType.uppercased().contains("BLOB") else { return .text(text) }
      throw RejectedRow(.typeMismatch, "expected bytes: a string needs the conversion base64")
    }
  }

  private func date(
    _ index: Int, _ source: borrowing DocumentSource, _ column: ColumnSchema, _ dates: DateReader
  ) throws(RejectedRow) -> BorrowedValue {
    let instant: UTCTime.Instant? =
      switch source.tape.kind(index) {
      case .string: dates.instant(source.text(index))
      case .integer: dates.instant(source.tape.integer(index))
      case .real: dates.instant(source.tape.real(index))
      default: nil
      }
    guard let instant else {
      throw RejectedRow(.conversion, "expected \(dates.name), found \(describe(index, source))")
    }
    guard let value = dates.value(instant, column.affinity) else {
      throw RejectedRow(.outOfRange, "the date \(describe(index, source)) is out of the column's range")
    }
    return bytes.lend(value)
  }

  private func blob(_ index: Int, _ source: borrowing DocumentSource) throws(RejectedRow) -> BorrowedValue {
    guard source.tape.kind(index) == .string,
      let decoded = Base64.decode(String(decoding: source.text(index), as: UTF8.self))
    else { throw RejectedRow(.conversion, "expected base64, found \(describe(index, source))") }
    return bytes.lend(.blob(decoded))
  }

  private func custom(
    _ index: Int, _ source: borrowing DocumentSource, _ convert: (SeedValue) throws -> SeedValue
  ) throws(RejectedRow) -> BorrowedValue {
    let value = source.plainValue(index) ?? .text(String(decoding: source.json(index), as: UTF8.self))
    do { return bytes.lend(try convert(value)) } catch { throw RejectedRow(.conversion, "\(error)") }
  }

  func notAnObject(_ index: Int, _ source: borrowing DocumentSource) -> RejectedRow {
    RejectedRow(
      .notAnObject, "expected an object, found \(describe(index, source))", offset: source.tape.offset(index))
  }

  func describe(_ index: Int, _ source: borrowing DocumentSource) -> String {
    source.json(index).withUnsafeBufferPointer { clipped($0) }
  }

  private func quote(_ text: UnsafeBufferPointer<UInt8>) -> String { "\"\(clipped(text))\"" }

  private static let shownBytes = 60

  private func clipped(_ text: UnsafeBufferPointer<UInt8>) -> String {
    let shown = String(decoding: text.prefix(Self.shownBytes), as: UTF8.self)
    return text.count > Self.shownBytes ? shown + "…" : shown
  }
}

/// The integer that a number's digits spell exactly, even with an exponent or a zero fraction; `nil` for other
/// numbers and integers beyond 64 bits. The text must be a number in JSON's grammar. Conversion through a double
/// would change 9007199254740993.0.
func spelledInteger(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
  let zero = UInt8(ascii: "0")
  let isNegative = text.first == UInt8(ascii: "-")
  let parts = text.dropFirst(isNegative ? 1 : 0).split(maxSplits: 1) { $0 | 0x20 == UInt8(ascii: "e") }
  let mantissa = parts[0].split(separator: UInt8(ascii: "."))
  var digits = Array(mantissa.joined().drop { $0 == zero })
  guard !digits.isEmpty else { return 0 }
  guard let exponent = parts.count == 1 ? 0 : Int(String(decoding: parts[1], as: UTF8.self)),
    exponents.contains(exponent)
  else { return nil }
  var zeros = exponent - (mantissa.count == 1 ? 0 : mantissa[1].count)
  while digits.last == zero {
    digits.removeLast()
    zeros += 1
  }
  guard zeros >= 0, digits.count + zeros <= mostIntegerDigits else { return nil }
  digits += repeatElement(zero, count: zeros)
  return Int64((isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self))
}

private let mostIntegerDigits = 19

/// The exponents that are evaluated. No document has enough digits to compensate for a larger or smaller exponent.
private let exponents = -1 << 40...1 << 40

/// CSV's spelling of numbers. Unlike JSON's, it allows surrounding spaces, a plus sign, leading zeros, and a point at
/// either end.
enum NumberSpelling {
  private static let (space, tab) = (UInt8(ascii: " "), UInt8(ascii: "\t"))
  private static let (zero, plus, minus) = (UInt8(ascii: "0"), UInt8(ascii: "+"), UInt8(ascii: "-"))
  private static let point = UInt8(ascii: ".")

  /// Whether the text does not look like a number in JSON's spelling, and needs a closer check.
  static func isOther(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let digits = text.first == minus ? text.dropFirst() : text[...]
    guard let first = digits.first, let last = digits.last, isDigit(first), isDigit(last) else { return true }
    return first == zero && digits.count > 1 && isDigit(digits[digits.startIndex + 1])
  }

  /// The number in JSON's spelling; `nil` if the text is not a number.
  static func plain(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var rest = trimmed(text[...])
    let sign = rest.first
    if sign == minus || sign == plus { rest = rest.dropFirst() }
    let end = rest.firstIndex { $0 | 0x20 == UInt8(ascii: "e") } ?? rest.endIndex
    guard rest[..<end].contains(where: isDigit) else { return nil }
    let digits = rest[..<end].drop { $0 == zero }
    let start = (sign == minus ? [minus] : []) + (digits.first.map(isDigit) == true ? [] : [zero])
    let endsInPoint = digits.last == point && digits.firstIndex(of: point) == digits.indices.last
    let number = start + (endsInPoint ? digits.dropLast() : digits) + rest[end...]
    return number.withUnsafeBufferPointer { spelledDouble($0) } == nil ? nil : number
  }

  /// Whether the text is a whole number beyond 64 bits, or any number beyond a double's range, which SQLite would
  /// convert to a different double. Fractions may be rounded.
  static func isBeyond(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var number = text[...].drop(while: isSpace)
    while let last = number.last, isSpace(last) { number.removeLast() }
    let digits = number.first == minus || number.first == plus ? number.dropFirst() : number
    guard let first = digits.first, isDigit(first) || first == point else { return false }
    func spelled() -> String { String(decoding: number, as: UTF8.self) }
    if digits.allSatisfy(isDigit) { return digits.count > safeDigits && Int64(spelled()) == nil }
    return (digits.count > doubleDigits || digits.contains { $0 | 0x20 == UInt8(ascii: "e") })
      && Double(spelled())?.isInfinite == true
  }

  /// The bytes that SQLite ignores before and after a number.
  private static func isSpace(_ byte: UInt8) -> Bool { byte == space || (0x09...0x0D).contains(byte) }

  /// Whole numbers with at most this many digits are in a double's range.
  private static let doubleDigits = 308

  /// Whole numbers with at most this many digits fit 64 bits.
  private static let safeDigits = 18

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- zero < 10 }

  private static func trimmed(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Slice<UnsafeBufferPointer<UInt8>>
  {
    var rest = text.drop { $0 == space || $0 == tab }
    while rest.last == space || rest.last == tab { rest = rest.dropLast() }
    return rest
  }
}

/// Parses dates in one format and converts them to the column's form.
struct DateReader {
  let format: ImportConversion.DateFormat
  let form: ImportConversion.DateForm
  let zone: Int

  /// Seconds from 1970 to 2001, the epoch of Core Data.
  private static let coreDataOrigin: Int64 = 978_307_200

  var name: String {
    switch format {
    case .iso8601: "an ISO 8601 date"
    case .seconds: "seconds since 1970"
    case .milliseconds: "milliseconds since 1970"
    }
  }

  func instant(_ text: UnsafeBufferPointer<UInt8>) -> UTCTime.Instant? {
    switch format {
    case .iso8601: UTCTime.parse(iso8601: text, zone: zone)
    case .seconds, .milliseconds:
      switch spelledNumber(text) {
      case .integer(let value)?: instant(value)
      case .real(let value)?: instant(value)
      default: nil
      }
    }
  }

  func instant(_ number: Int64) -> UTCTime.Instant? {
    switch format {
    case .seconds: return (number, 0)
    case .milliseconds:
      let (seconds, rest) = number.quotientAndRemainder(dividingBy: 1000)
      return rest < 0 ? (seconds - 1, Double(rest + 1000) / 1000) : (seconds, Double(rest) / 1000)
    case .iso8601: return nil
    }
  }

  func instant(_ number: Double) -> UTCTime.Instant? {
    guard format != .iso8601 else { return nil }
    let seconds = format == .milliseconds ? number / 1000 : number
    return Int64(exactly: seconds.rounded(.down)).map { ($0, seconds - seconds.rounded(.down)) }
  }

  /// The column's value; `nil` if it is out of range. An INTEGER column gets no fraction.
  func value(_ instant: UTCTime.Instant, _ affinity: Affinity) -> SeedValue? {
    switch form {
    case .seconds: return Self.seconds(instant.seconds, instant.fraction, affinity)
    case .coredata:
      let (seconds, isBeyond) = instant.seconds.subtractingReportingOverflow(Self.coreDataOrigin)
      return isBeyond ? nil : Self.seconds(seconds, instant.fraction, affinity)
    case .milliseconds:
      let (whole, isBeyond) = instant.seconds.multipliedReportingOverflow(by: 1000)
      let rest = Int64((instant.fraction * 1000).rounded())
      let (sum, isTooLarge) = whole.addingReportingOverflow(rest)
      return isBeyond || isTooLarge ? nil : .integer(sum)
    }
  }

  private static func seconds(_ seconds: Int64, _ fraction: Double, _ affinity: Affinity) -> SeedValue {
    fraction == 0 || affinity == .integer ? .integer(seconds) : .real(Double(seconds) + fraction)
  }
}
