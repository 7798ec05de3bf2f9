/// The result of an import.
public struct ImportReport: Hashable, Sendable {
  /// The result for one table.
  public struct Table: Hashable, Sendable {
    /// New rows.
    public var inserted = 0
    /// Rows with changed values.
    public var updated = 0
    /// Rows that already existed with equal values.
    public var unchanged = 0
    /// Rows deleted because the import did not mention them.
    public var deleted = 0
    /// Bad rows.
    public var rejected = 0
  }

  /// A member that the mapping reads but no imported row had.
  public struct MissingMember: Hashable, Sendable {
    /// The rows' table.
    public var table: String
    /// The member, relative to the row's object.
    public var member: MemberPath
    /// The column that it fills; `nil` for a relation.
    public var column: String?
  }

  /// Results by table.
  public var tables: [String: Table] = [:]
  /// The number of rows in the documents.
  public var rows = 0
  /// The number of rows that met no list's conditions.
  public var unmatchedRows = 0
  /// The number of bytes in the documents.
  public var bytes = 0
  /// The number of statements run for rows.
  public var statements = 0
  /// The duration of the import.
  public var duration: Duration = .zero
  /// Members that the mapping lists but no row had. If a table's columns are matched by name and only the key
  /// matched, all these columns are included.
  public var missing: [MissingMember] = []
  /// The issues, up to the policy's limit.
  public var issues: [ImportIssue] = []
  /// The number of issues.
  public var issueCount = 0
}

extension ImportReport.MissingMember: CustomStringConvertible {
  /// The missing member in one line.
  public var description: String {
    "table \"\(table)\": no row has a member \(member)\(column.map { " for the column \"\($0)\"" } ?? "")"
  }
}
