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
    var empty = RecordHeader.Empty()
    for column in node.columns { empty = empty.joined(rule.kinds(columns[column].schema)) }
    if let relation = node.relation, let key = relations[relation].plan.target.key.first {
      // The reference itself may be NULL, whatever the key of the other table may be.
      empty = empty.joined(rule.kinds(relations[relation].plan.table.columns[key], isReference: true))
    }
    return empty
  }

  /// Whether a member of that name fills the column.
  fileprivate func fills(_ column: String, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let node = root.child(Array(name)) else { return false }
    if node.columns.contains(where: { columns[$0].schema.name == column }) { return true }
    guard let relation = node.relation, case .object(let keys) = relations[relation].kind else {
      return false
    }
    return keys.contains { table.columns[$0].name == column }
  }
}

extension RecordHeader.Empty {
  fileprivate func joined(_ other: Self) -> Self {
    Self(bare: bare == .null ? other.bare : bare, quoted: quoted == .null ? other.quoted : quoted)
  }
}

extension DocumentSource {
  /// A refusal in terms of the file: its byte, and the name that the header gives the field.
  func located(_ refusal: RejectedRow, _ plan: RowPlan) -> RejectedRow {
    var refusal = placed(refusal)
    if line != nil, refusal.field == nil, let column = refusal.column {
      refusal.field = field(column, plan)
    }
    return refusal
  }

  private func field(_ column: String, _ plan: RowPlan) -> String? {
    guard tape.kind(0) == .object else { return nil }
    var member = 1
    while member < tape.end(of: 0) {
      if plan.fills(column, text(member)) { return String(decoding: text(member), as: UTF8.self) }
      member = tape.end(of: member + 1)
    }
    return nil
  }
}
