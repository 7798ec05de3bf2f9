extension SeedValue {
  /// The value as it stands in a delta: a scalar of JSON's, or one of the three tagged objects.
  package var json: JSONValue {
    switch self {
    case .null: .null
    case .integer(let value) where DeltaScalar.isExact(value): .integer(value)
    case .integer(let value): .object([JSONMember(DeltaScalar.integerTag, .string(String(value)))])
    case .real(let value) where value.isFinite: .real(value)
    case .real(let value):
      .object([JSONMember(DeltaScalar.realTag, .string(value < 0 ? "-Infinity" : "Infinity"))])
    case .text(let value): .string(value)
    case .blob(let value): .object([JSONMember(DeltaScalar.blobTag, .string(Base64.encode(value)))])
    }
  }
}
