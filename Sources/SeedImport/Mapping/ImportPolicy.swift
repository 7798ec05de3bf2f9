/// How an import handles existing rows, bad rows and broken references.
public struct ImportPolicy: Sendable {
  /// How an existing row with different values is handled.
  public enum Conflict: String, Hashable, Sendable, CaseIterable {
    /// Updates the columns that the document mentions.
    case overwrite
    /// Keeps the existing row.
    case keep
    /// Treats the document's row as a bad row.
    case fail
  }

  /// How bad rows are handled. A row is never imported in part.
  public enum BadRows: Hashable, Sendable {
    /// Ends the import and rolls it back.
    case abort
    /// Skips them.
    case collect
  }

  /// How references that are broken after the last row are handled.
  public enum References: String, Hashable, Sendable, CaseIterable {
    /// Ends the import and rolls it back.
    case fail
    /// Sets them to NULL, and reports an issue for each foreign key.
    case null
    /// Keeps them, and reports an issue for each foreign key.
    case keep
  }

  /// The extent of a transaction.
  public enum Atomicity: Hashable, Sendable {
    /// All or nothing.
    case one
    /// Commits after every `rows` rows of the document. To complete an interrupted import, run it again from the start:
    /// rows already imported are equal and not written. References and search tables are correct only at the end.
    case batched(rows: Int)
  }

  /// How existing rows are handled.
  public var onConflict: Conflict
  /// How bad rows are handled.
  public var badRows: BadRows
  /// How broken references are handled.
  public var references: References
  /// Whether a table may lose most of its rows because the import does not mention them. If false, the import fails
  /// if a table of 100 rows or more would lose over half of them. It also fails if any table would lose all rows
  /// because the import has no row for it or no row meets its list's conditions.
  public var acceptsShrink: Bool
  /// Whether to import into tables with triggers, without running the triggers. If false, the import fails before it
  /// starts and names the triggers.
  public var ignoresTriggers: Bool
  /// The extent of a transaction.
  public var atomicity: Atomicity
  /// Maximum number of issues that the report lists; the report counts all issues.
  public var issueLimit: Int

  /// By default, imports all or nothing, and updates existing rows.
  public init(
    onConflict: Conflict = .overwrite, badRows: BadRows = .abort, references: References = .fail,
    acceptsShrink: Bool = false, ignoresTriggers: Bool = false, atomicity: Atomicity = .one,
    issueLimit: Int = 1000
  ) {
    (self.onConflict, self.badRows, self.references) = (onConflict, badRows, references)
    (self.acceptsShrink, self.ignoresTriggers) = (acceptsShrink, ignoresTriggers)
    (self.atomicity, self.issueLimit) = (atomicity, issueLimit)
  }
}
