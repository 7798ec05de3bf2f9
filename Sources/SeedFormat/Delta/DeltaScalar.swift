/// How one value stands in a delta: JSON's scalars, and three tagged objects for what JSON cannot carry.
enum DeltaScalar {
  static let integerTag = "i64"
  static let realTag = "f64"
  static let blobTag = "b64"

  static func append(_ value: SeedValue, to buffer: inout [UInt8]) {
    switch value {
    case .null: buffer.append(contentsOf: "null".utf8)
    case .integer(let value) where isExact(value): buffer.append(contentsOf: String(value).utf8)
    case .integer(let value): append(integerTag, String(value), to: &buffer)
    case .real(let value) where value.isFinite: JSONWriter.append(value, to: &buffer)
    case .real(let value): append(realTag, value < 0 ? "-Infinity" : "Infinity", to: &buffer)
    case .text(let value): JSONWriter.append(value, to: &buffer)
    case .blob(let value): append(blobTag, Base64.encode(value), to: &buffer)
    }
  }

  private static func append(_ tag: String, _ text: String, to buffer: inout [UInt8]) {
    JSONWriter.append(.object([JSONMember(tag, .string(text))]), to: &buffer)
  }

  static func isExact(_ value: Int64) -> Bool { value.magnitude <= UInt64(Limits.exactJSONInteger) }

  /// The integer of an `i64`, or `nil` where the writer would have written it otherwise.
  static func taggedInteger(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
    let text = String(decoding: text, as: UTF8.self)
    guard let value = Int64(text), String(value) == text, !isExact(value) else { return nil }
    return value
  }

  /// The infinity of an `f64`.
  static func taggedReal(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    if text.elementsEqual("Infinity".utf8) { return .infinity }
    if text.elementsEqual("-Infinity".utf8) { return -.infinity }
    return nil
  }
}
