import SeedDatabase
import SeedFormat

// The plan's columns as CSV fields.
extension RowPlan {
  /// The value of an empty field with this name: by its column, or by the key of the row that it names.
  func empty(_ field: String, _ rule: CSVFormat.EmptyFields) -> RecordHeader.Empty {
    // Looked up once for all records, which also marks the member as seen for the survey of missing members.
    guard let node = Array(field.utf8).withUnsafeBufferPointer({ root.target(at: 0, $0) }) else {
      return RecordHeader.Empty()
    }
    var empty = RecordHeader.Empty()
    for column in node.columns { empty = empty.joined(rule.kinds(columns[column].schema)) }
    if let relation = node.relation, let key = relations[relation].plan.target.key.first {
      // The reference may be NULL even if the other table's key may not.
      empty = empty.joined(rule.kinds(relations[relation].plan.table.columns[key], isReference: true))
    }
    return empty
  }
}

extension RecordHeader.Empty {
  fileprivate func joined(_ other: Self) -> Self {
    Self(bare: bare == .null ? other.bare : bare, quoted: quoted == .null ? other.quoted : quoted)
  }
}
