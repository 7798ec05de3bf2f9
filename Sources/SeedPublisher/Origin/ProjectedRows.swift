package import SeedDatabase
package import SeedFormat

/// Projected rows as the client stores them, either unordered or in strictly ascending key order.
package final class ProjectedRows {
  /// The origin sorts keys differently from the client, so the rows must be staged.
  struct OutOfOrder: Error {}

  private let source: any RowSource
  private let table: TableSchema
  private let fitter: AffinityFitter
  private let affinities: [Affinity]
  /// `nil` if the rows are unordered.
  private let order: KeyOrder?
  /// The current row, valid until the next. Its strings are not validated.
  @exclusivity(unchecked) package private(set) var row: [BorrowedValue] = []
  /// The previous key, which is empty at the start, and the storage for its strings.
  @exclusivity(unchecked) private var previous: [BorrowedValue] = []
  private let bytes = LentBytes()

  /// The source must return the table's columns in order.
  package init(_ source: any RowSource, _ table: TableSchema, _ fitter: AffinityFitter, isOrdered: Bool) {
    (self.source, self.table, self.fitter) = (source, table, fitter)
    affinities = table.columns.map(\.affinity)
    order = isOrdered ? KeyOrder(table) : nil
  }

  /// Returns false after the last row. Throws ``OutOfOrder`` if the keys of ordered rows do not ascend.
  package func next() throws -> Bool {
    guard try source.next() else { return false }
    try source.lend(to: &row)
    try fitter.fit(&row, to: affinities)
    for index in table.key where row[index].isNull {
      throw OriginError.nullInKey(table: table.name, column: table.columns[index].name)
    }
    if let order { try check(order) }
    return true
  }

  private func check(_ order: KeyOrder) throws {
    if !previous.isEmpty {
      let comparison = order.compare(key: previous, withKeyOf: row)
      if comparison > 0 { throw OutOfOrder() }
      if comparison == 0 { throw OriginError.duplicateKey(table: table.name, key: keyDescription) }
    }
    bytes.keep(table.key, of: row, in: &previous)
  }

  /// Returns a validated copy of the current row.
  package func validRow(_ types: TypeGuard? = nil) throws(OriginError) -> [SeedValue] {
    try validate(types)
    return row.map(\.owned)
  }

  /// Rejects values that are too long, text that is not UTF-8 (JSON cannot represent it), and values that the guard
  /// rejects. Published rows have passed this check.
  func validate(_ types: TypeGuard?) throws(OriginError) {
    for index in row.indices {
      if row[index].byteCount > Limits.valueBytes {
        let limit = ByteCount(bytes: Limits.valueBytes)
        throw .unfit(
          table: table.name, column: table.columns[index].name, key: keyDescription,
          reason: "more than \(limit): publish a link to such a value instead")
      }
      guard case .text(let bytes) = row[index], !isUTF8(bytes) else { continue }
      throw .invalidText(table: table.name, column: table.columns[index].name, key: keyDescription)
    }
    try types?.check(row, of: table, key: keyDescription)
  }

  var keyDescription: String {
    let values = table.key.map { index -> SeedValue in
      if case .text(let bytes) = row[index], !isUTF8(bytes) { return .text("(not UTF-8)") }
      return row[index].owned
    }
    return rowDescription(table.keyNames, values)
  }
}

private func isUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
  (try? UTF8Span(validating: bytes.span)) != nil
}
