extension SeedValue: Decodable {
  /// Decodes any column, or JSON's null, numbers, texts and bools (as 1 and 0).
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = value.seedValue
    } else if let value = try? container.decode(Bool.self) {
      self = value.seedValue
    } else {
      self = .text(try container.decode(String.self))
    }
  }
}
