public import SeedFormat

/// What an import did.
public struct ImportReport: Hashable, Sendable {
  /// What an import did to one table.
  public struct Table: Hashable, Sendable {
    /// Rows that are new.
    public var inserted = 0
    /// Rows that have other values now.
    public var updated = 0
    /// Rows that came and were there already.
    public var unchanged = 0
    /// Rows that the import did not mention and its mode took away.
    public var deleted = 0
    /// Rows that could not be taken in.
    public var rejected = 0
    /// The keys, where the policy asks for them.
    public var keys: Keys?

    package init() {}
  }

  /// The keys of rows, by what became of them.
  public struct Keys: Hashable, Sendable {
    /// Keys of new rows.
    public var inserted: [[SeedValue]] = []
    /// Keys of changed rows.
    public var updated: [[SeedValue]] = []
    /// Keys of rows that were there already.
    public var unchanged: [[SeedValue]] = []
    /// Keys of rows that were taken away.
    public var deleted: [[SeedValue]] = []

    package init() {}
  }

  /// A member that the mapping wants and that none of the rows had that were taken in.
  public struct MissingMember: Hashable, Sendable {
    /// The table that the rows went to.
    public var table: String
    /// The member, from the row's object.
    public var member: MemberPath
    /// The column that it would fill; `nil` for a relation.
    public var column: String?
    /// Members that rows had, that nothing in the mapping wants, and that may be meant.
    public var similar: [String]

    package init(table: String, member: MemberPath, column: String?, similar: [String]) {
      (self.table, self.member, self.column, self.similar) = (table, member, column, similar)
    }
  }

  /// By table.
  public var tables: [String: Table] = [:]
  /// Rows of the documents.
  public var rows = 0
  /// Rows that met no list's conditions.
  public var rowsPassedOver = 0
  /// Bytes of the documents.
  public var bytes = 0
  /// Statements that were run on rows.
  public var statements = 0
  /// How long it took.
  public var duration: Duration = .zero
  /// Members that the mapping lists and that no row had. Of columns that find their members by name, only those
  /// are here for which a member is spelled much the same, and all where no member but the key's found a column.
  public var missing: [MissingMember] = []
  /// What was wrong, up to the policy's limit.
  public var issues: [ImportIssue] = []
  /// How much was wrong.
  public var issueCount = 0

  package init() {}
}

extension ImportReport.MissingMember: CustomStringConvertible {
  /// One line with the place and what is there instead.
  public var description: String {
    let aim = column.map { " for the column \"\($0)\"" } ?? ""
    let names = similar.map(spelled).joined(separator: ", ")
    return "table \"\(table)\": no row has a member \(member)\(aim)"
      + (similar.isEmpty ? "" : "; they have \(names), which no column uses")
  }

  /// As a mapping's path spells it, with what the eye cannot see.
  private func spelled(_ name: String) -> String {
    let isSame = member.names?.last.map { $0 == name && !$0.utf8.elementsEqual(name.utf8) } ?? false
    let step = name.contains(".") ? MemberPath.Step.member(name).description : "\"\(name)\""
    return step + (isSame ? " (the same letters in another Unicode form)" : "")
  }
}

/// How far an import is.
public struct ImportProgress: Hashable, Sendable {
  /// Bytes of the documents so far.
  public let bytes: Int
  /// Rows so far.
  public let rows: Int

  package init(bytes: Int, rows: Int) {
    self.bytes = bytes
    self.rows = rows
  }
}
