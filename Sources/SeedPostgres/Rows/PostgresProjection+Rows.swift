import SeedDatabase
import SeedFormat
import SeedPublisher

extension PostgresProjection {
  /// The table's rows, on request in the key's order. Reading starts with the first row.
  func rows(_ connection: PostgresConnection, isOrdered: Bool) -> any RowSource {
    CopyRows(connection, self, isOrdered: isOrdered)
  }
}

private final class CopyRows: RowSource {
  private let connection: PostgresConnection
  private let projection: PostgresProjection
  private let reader: CopyReader

  init(_ connection: PostgresConnection, _ projection: PostgresProjection, isOrdered: Bool) {
    (self.connection, self.projection) = (connection, projection)
    reader = CopyReader(
      connection, projection.copy(isOrdered: isOrdered), columns: projection.columns.count)
  }

  func next() throws -> Bool {
    guard try !projection.blaming({ try reader.next() }) else { return true }
    try connection.proveNothingRewritten()
    return false
  }

  func lend(to values: inout [BorrowedValue]) throws {
    values.removeAll(keepingCapacity: true)
    var unfit: (index: Int, reason: String)?
    for (index, field) in reader.row.fields.enumerated() {
      do {
        values.append(try field.map { try projection.columns[index].form.value($0) } ?? .null)
      } catch let error as ValueForm.Unfit {
        unfit = unfit ?? (index, error.reason)
        values.append(projection.columns[index].form.told(field))
      }
    }
    if let unfit { throw projection.unfit(unfit.index, unfit.reason, in: values) }
  }
}
