package import SeedDatabase

package protocol RowReceiver: AnyObject {
  /// The error in the header of a CSV document; `nil` if rows may follow.
  func flaw(ofHeader names: [String]) -> String?
  /// The column for a member or field; `nil` to ignore it. Called once for each name in a document.
  func column(_ name: String) -> ReceivedColumn?
  var width: Int { get }
  /// Takes rows whose values are valid until it returns. Columns that a row does not mention are NULL.
  func take(_ rows: LentRows) throws
}

/// A column by its index in the receiver, and its type.
package struct ReceivedColumn {
  let number: Int
  let schema: ColumnSchema

  package init(_ number: Int, _ schema: ColumnSchema) { (self.number, self.schema) = (number, schema) }

  /// The most columns of an SQLite table.
  package static let most = 2000
}
