import SeedDatabase
import SeedFormat

// What a plan's columns mean for the fields of CSV.
extension RowPlan {
  /// What a field of that name without text becomes: by the column that it feeds, or by the key of the row that it names.
  func empty(_ field: String, _ rule: CSVFormat.EmptyFields) -> RecordHeader.Empty {
    // A header is looked at once for all its records, also by whoever asks later what members there were.
    guard let node = Array(field.utf8).withUnsafeBufferPointer({ root.target(at: 0, $0) }) else {
      return RecordHeader.Empty()
    }
    noteField(field)
    var empty = RecordHeader.Empty()
    for column in node.columns { empty = empty.joined(rule.kinds(columns[column].schema)) }
    if let relation = node.relation, let key = relations[relation].plan.target.key.first {
      // The reference itself may be NULL, whatever the key of the other table may be.
      empty = empty.joined(rule.kinds(relations[relation].plan.table.columns[key], isReference: true))
    }
    return empty
  }

  /// Remembers which columns a field of that name fills, for messages.
  func noteField(_ field: String) {
    guard let node = root.child(Array(field.utf8)) else { return }
    for column in node.columns { target.fields[columns[column].schema.name] = field }
    guard let relation = node.relation, case .object(let keys) = relations[relation].kind else { return }
    for column in keys { target.fields[table.columns[column].name] = field }
  }
}

extension RecordHeader.Empty {
  fileprivate func joined(_ other: Self) -> Self {
    Self(bare: bare == .null ? other.bare : bare, quoted: quoted == .null ? other.quoted : quoted)
  }
}
