package import SeedDatabase
package import SeedFormat

/// What becomes of the rows of documents.
package protocol RowReceiver: AnyObject {
  /// What is wrong with the fields' names of a document of CSV; `nil` where rows may follow.
  func flaw(ofHeader names: [String]) -> String?
  /// The column for a member or a field of that name; `nil` where nobody wants it. Asked once for each name of a document.
  func column(_ name: String) -> ReceivedColumn?
  /// How many columns there are by now.
  var width: Int { get }
  /// Takes rows whose values are good until it returns.
  func take(_ rows: ReceivedRows) throws
}

/// A column by its number among a receiver's, and what it stores.
package struct ReceivedColumn {
  let number: Int
  let schema: ColumnSchema

  package init(_ number: Int, _ schema: ColumnSchema) { (self.number, self.schema) = (number, schema) }
}

/// Some rows behind one another; a column that a row does not mention is NULL.
package struct ReceivedRows {
  /// The first of them, counted from the document's start.
  package let first: Int
  package let count: Int
  let values: UnsafeMutablePointer<BorrowedValue>

  /// As many as a table of SQLite has.
  package static let mostColumns = 2000

  /// The row of that number among these.
  package func row(_ number: Int) -> UnsafePointer<BorrowedValue> {
    UnsafePointer(values + number * Self.mostColumns)
  }
}
