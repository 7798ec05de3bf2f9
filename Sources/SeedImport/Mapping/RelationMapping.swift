/// Rows of other tables nested in a row's object.
public struct RelationMapping: Sendable {
  /// How the nested rows and their parent are linked.
  public enum Kind: Hashable, Sendable {
    /// A nested object or its bare key; its key fills these columns of the parent.
    case reference(foreignKey: [String])
    /// Nested rows in which these columns take the parent's key.
    case children(parentKey: [String])
    /// Nested rows or their bare keys; each is paired with the parent in a row of a third table.
    case pairs(through: String, parentKey: [String], elementKey: [String])
  }

  /// The arrangement of the nested rows.
  public enum Layout: Hashable, Sendable {
    /// An array of objects, or of plain values.
    case array
    /// An object whose members are rows; the members' names fill a column. Null members are skipped. In a join, the
    /// names are the nested table's key; a member with the value `true` adds a pair, one with `false` does not.
    case dictionary(keyColumn: String?)
  }

  /// How a parent's existing rows are handled if its latest object in the document does not contain them.
  public enum Mode: String, Hashable, Sendable, CaseIterable {
    /// Keeps them.
    case merge
    /// Deletes them and their `ON DELETE CASCADE` dependents. A missing member changes nothing; a null or
    /// empty one deletes all the parent's rows. Only rows with the mapping's constants belong to the parent.
    case replaceForParent
  }

  /// The member with the nested rows, relative to the row's object.
  public var member: MemberPath
  /// The mapping of the nested rows.
  public var table: TableMapping
  /// How the nested rows and their parent are linked.
  public var kind: Kind
  /// The arrangement of the nested rows. It has no effect on a reference.
  public var layout: Layout
  /// How existing rows are handled if the object does not contain them. It has no effect on a reference.
  public var mode: Mode

  var isReference: Bool { if case .reference = kind { true } else { false } }

  var deletes: Bool { mode == .replaceForParent && !isReference }

  /// Creates a relation of any kind; the static functions create the usual ones.
  public init(
    _ member: MemberPath, _ table: TableMapping, _ kind: Kind, layout: Layout, mode: Mode = .merge
  ) { (self.member, self.table, self.kind, self.layout, self.mode) = (member, table, kind, layout, mode) }

  /// Maps a nested object, or its bare key, to a row of another table. That row's key fills columns of this row.
  public static func object(_ member: MemberPath, _ table: TableMapping, foreignKey: [String]) -> Self {
    Self(member, table, .reference(foreignKey: foreignKey), layout: .array)
  }

  /// Maps a nested array to rows of another table. The columns `parentKey` of these rows take this row's key.
  public static func array(
    _ member: MemberPath, _ table: TableMapping, parentKey: [String], mode: Mode = .merge
  ) -> Self { Self(member, table, .children(parentKey: parentKey), layout: .array, mode: mode) }

  /// Maps the members of a nested object to rows of another table. The members' names fill a column.
  public static func dictionary(
    _ member: MemberPath, _ table: TableMapping, keyColumn: String, parentKey: [String], mode: Mode = .merge
  ) -> Self {
    Self(
      member, table, .children(parentKey: parentKey), layout: .dictionary(keyColumn: keyColumn), mode: mode)
  }

  /// Maps a nested array of objects or bare keys. Each element is a row of another table, and a row of a join table
  /// links it to its parent.
  public static func join(
    _ member: MemberPath, _ table: TableMapping, through: String, parentKey: [String], elementKey: [String],
    layout: Layout = .array, mode: Mode = .merge
  ) -> Self {
    Self(
      member, table, .pairs(through: through, parentKey: parentKey, elementKey: elementKey), layout: layout,
      mode: mode)
  }
}
