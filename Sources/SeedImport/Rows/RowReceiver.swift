package import SeedDatabase
package import SeedFormat

package protocol RowReceiver: AnyObject {
  /// The error in the header of a CSV document; `nil` if rows may follow.
  func flaw(ofHeader names: [String]) -> String?
  /// The column for a member or field; `nil` to ignore it. Called once for each name in a document.
  func column(_ name: String) -> ReceivedColumn?
  var width: Int { get }
  /// Takes rows whose values are valid until it returns.
  func take(_ rows: ReceivedRows) throws
}

/// A column by its index in the receiver, and its type.
package struct ReceivedColumn {
  let number: Int
  let schema: ColumnSchema

  package init(_ number: Int, _ schema: ColumnSchema) { (self.number, self.schema) = (number, schema) }
}

/// Consecutive rows; columns that a row does not mention are NULL.
package struct ReceivedRows {
  /// The first row's number in the document.
  package let first: Int
  package let count: Int
  let values: UnsafeMutablePointer<BorrowedValue>

  /// The most columns of an SQLite table.
  package static let mostColumns = 2000

  package func row(_ number: Int) -> UnsafePointer<BorrowedValue> {
    UnsafePointer(values + number * Self.mostColumns)
  }
}
