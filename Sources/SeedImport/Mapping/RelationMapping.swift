/// Rows of other tables that lie within a row's object.
public struct RelationMapping: Sendable {
  /// How the nested rows and the row that they lie in know each other.
  public enum Kind: Hashable, Sendable {
    /// A nested object, or the bare key of one: its key goes to these columns of this row.
    case reference(foreignKey: [String])
    /// Nested rows that take this row's key into these columns of theirs.
    case children(parentKey: [String])
    /// Nested rows, or bare keys of such: each is a pair with this row, and a pair is a row of a third table.
    case pairs(through: String, parentKey: [String], elementKey: [String])
  }

  /// How the nested rows lie there.
  public enum Layout: Hashable, Sendable {
    /// An array of objects, or of plain values.
    case array
    /// An object whose members are rows; their names go to a column. A member that is null is no row. In a join the
    /// column is the nested table's key, `true` stands for a row that is there, and `false` for none.
    case dictionary(keyColumn: String?)
    /// The one row itself.
    case single
  }

  /// What happens to the rows of a parent that its newest object does not name.
  public enum Mode: String, Hashable, Sendable, CaseIterable {
    /// They stay.
    case merge
    /// They go, with what `ON DELETE CASCADE` takes along. A member that is missing changes nothing; one that is
    /// null or empty leaves the parent without any. Only rows with the mapping's constants belong to it.
    case replaceForParent
  }

  /// The member that holds the nested rows, from the row's object.
  public var member: MemberPath
  /// What the nested rows become.
  public var table: TableMapping
  /// How they and their parent know each other.
  public var kind: Kind
  /// How they lie there.
  public var layout: Layout
  /// What happens to those that the newest object does not name. A reference has none to lose.
  public var mode: Mode

  /// A relation of any kind; the functions beside it make the usual ones.
  public init(
    _ member: MemberPath, _ table: TableMapping, _ kind: Kind, layout: Layout, mode: Mode = .merge
  ) {
    (self.member, self.table, self.kind, self.layout, self.mode) = (member, table, kind, layout, mode)
  }

  /// A nested object, or the bare key of one: a row of another table, whose key goes to columns of this row.
  public static func object(_ member: MemberPath, _ table: TableMapping, foreignKey: [String]) -> Self {
    Self(member, table, .reference(foreignKey: foreignKey), layout: .single)
  }

  /// A nested array: rows of another table that take this row's key into their columns.
  public static func array(
    _ member: MemberPath, _ table: TableMapping, parentKey: [String], mode: Mode = .merge
  ) -> Self { Self(member, table, .children(parentKey: parentKey), layout: .array, mode: mode) }

  /// A nested object whose members are rows of another table; a member's name goes to a column of its row.
  public static func dictionary(
    _ member: MemberPath, _ table: TableMapping, keyColumn: String, parentKey: [String], mode: Mode = .merge
  ) -> Self {
    Self(
      member, table, .children(parentKey: parentKey), layout: .dictionary(keyColumn: keyColumn), mode: mode)
  }

  /// A nested object that is one row of another table, which takes this row's key.
  public static func child(
    _ member: MemberPath, _ table: TableMapping, parentKey: [String], mode: Mode = .merge
  ) -> Self { Self(member, table, .children(parentKey: parentKey), layout: .single, mode: mode) }

  /// A nested array of objects, or of bare keys: rows of another table, and one row of a third for each pair.
  public static func join(
    _ member: MemberPath, _ table: TableMapping, through: String, parentKey: [String], elementKey: [String],
    layout: Layout = .array, mode: Mode = .merge
  ) -> Self {
    Self(
      member, table, .pairs(through: through, parentKey: parentKey, elementKey: elementKey), layout: layout,
      mode: mode)
  }
}
