import SeedFormat

/// The value of a column that is no longer in its statement's row.
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
  /// The value of a column, decoded like a member of a typed row: `try row.get("name", as: String.self)`.
  ///
  /// Fails with ``SeedError/Code/decoding``, which names the column, its value and the type.
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
