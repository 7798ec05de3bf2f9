/// What happens to a row whose key is there already.
package enum ConflictRule: String, Sendable, CaseIterable {
  /// The columns that the import lists take its values.
  case overwrite
  /// The row stays as it is.
  case keep
  /// The import ends with an error.
  case fail
}

/// What became of one row.
package enum RowOutcome: Sendable {
  case inserted, updated, unchanged
  /// Its unique value is held by another row; it will be written once the others are.
  case setAside
}
