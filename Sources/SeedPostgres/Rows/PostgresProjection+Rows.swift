import SeedDatabase
import SeedFormat
import SeedServer

extension PostgresProjection {
  /// The table's rows, in the key's order where that is asked for. Nothing is read before the first one is.
  func rows(_ connection: PostgresConnection, isOrdered: Bool) -> any RowSource {
    CopyRows(connection, self, isOrdered: isOrdered)
  }
}

/// The rows that COPY sends, one at a time in memory.
private final class CopyRows: RowSource {
  private let connection: PostgresConnection
  private let projection: PostgresProjection
  private let isOrdered: Bool
  private var row = BinaryRow()
  private var hasBegun = false

  init(_ connection: PostgresConnection, _ projection: PostgresProjection, isOrdered: Bool) {
    (self.connection, self.projection, self.isOrdered) = (connection, projection, isOrdered)
  }

  func next() throws -> Bool {
    guard try !advance() else { return true }
    try connection.proveNothingRewritten()
    return false
  }

  private func advance() throws -> Bool {
    try projection.blaming {
      if !hasBegun { try connection.startCopy(projection.copy(isOrdered: isOrdered)) }
      guard var message = try connection.nextCopied() else { return false }
      if !hasBegun { message = try BinaryRow.behindHead(message) }
      hasBegun = true
      if try row.read(message, count: projection.columns.count) { return true }
      // Behind the mark, the server says whether it sent all.
      return try connection.nextCopied() != nil
    }
  }

  func lend(to values: inout [BorrowedValue]) throws {
    values.removeAll(keepingCapacity: true)
    var unfit: (index: Int, reason: String)?
    for (index, field) in row.fields.enumerated() {
      do {
        values.append(try field.map { try projection.columns[index].form.value($0) } ?? .null)
      } catch let error as ValueForm.Unfit {
        unfit = unfit ?? (index, error.reason)
        values.append(.null)
      }
    }
    if let unfit { throw projection.unfit(unfit.index, unfit.reason, in: values) }
  }
}
