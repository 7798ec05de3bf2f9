/// What an import does about rows that are there already, rows that are wrong, and references to nowhere.
public struct ImportPolicy: Sendable {
  /// What happens to a row whose key is there already with other values.
  public enum Conflict: String, Hashable, Sendable, CaseIterable {
    /// The columns that the document mentions take its values.
    case overwrite
    /// The row stays as it is.
    case keep
    /// The row of the document is a bad row.
    case fail
  }

  /// What happens when a row cannot be taken in. It is never taken in by half.
  public enum BadRows: Hashable, Sendable {
    /// The import ends, and the database is as before.
    case abort
    /// Bad rows are left out, up to that many; one more ends the import.
    case skip(max: Int)
    /// Bad rows are left out, however many there are.
    case collect
  }

  /// What happens to references that lead nowhere once all rows are in.
  public enum References: String, Hashable, Sendable, CaseIterable {
    /// The import ends, and the database is as before.
    case fail
    /// They become NULL.
    case null
    /// They stay as they are; each is an issue.
    case keep
  }

  /// What happens where a table has triggers.
  public enum Triggers: String, Hashable, Sendable, CaseIterable {
    /// The import ends before it begins, and names them.
    case refuse
    /// They run for each row that is inserted, updated or deleted. The report does not count what they write.
    case run
    /// They do not run.
    case ignore
  }

  /// What is committed together.
  public enum Atomicity: Hashable, Sendable {
    /// All or nothing.
    case one
    /// Every so many rows of the document. An import that was broken off is completed by the same import again, from
    /// the start: rows that are in are equal, and not written. References and search tables are only right at its end.
    case batched(rows: Int)
  }

  /// Rows whose key is there already.
  public var onConflict: Conflict
  /// Rows that cannot be taken in.
  public var badRows: BadRows
  /// References to nowhere.
  public var references: References
  /// Whether a table may lose most of its rows because the import does not mention them. If not, a table of 100
  /// rows or more that would lose more than half of them ends the import, and so does one that would lose all because
  /// no row meets its list's conditions.
  public var acceptsShrink: Bool
  /// Triggers of the tables.
  public var triggers: Triggers
  /// What is committed together.
  public var atomicity: Atomicity
  /// Rows between two looks at cancellation and progress.
  public var batchRows: Int
  /// Bytes of a file that are read at a time.
  public var batchBytes: Int
  /// Issues that the report lists; it counts all.
  public var issueLimit: Int
  /// Whether the report lists the keys of rows.
  public var reportsKeys: Bool

  /// All or nothing; newer values win.
  public init(
    onConflict: Conflict = .overwrite, badRows: BadRows = .abort, references: References = .fail,
    acceptsShrink: Bool = false, triggers: Triggers = .refuse, atomicity: Atomicity = .one,
    batchRows: Int = 256,
    batchBytes: Int = 256 * 1024, issueLimit: Int = 1000,
    reportsKeys: Bool = false
  ) {
    (self.onConflict, self.badRows, self.references) = (onConflict, badRows, references)
    self.acceptsShrink = acceptsShrink
    self.triggers = triggers
    (self.atomicity, self.batchRows, self.batchBytes) = (atomicity, batchRows, batchBytes)
    (self.issueLimit, self.reportsKeys) = (issueLimit, reportsKeys)
  }
}
