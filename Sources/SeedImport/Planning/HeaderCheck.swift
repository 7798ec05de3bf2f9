import SeedDatabase
import SeedFormat

/// Checks a CSV header once per list, because an error in the header would affect every row.
struct HeaderCheck {
  private let plan: RowPlan
  private let mapping: TableMapping
  /// The first members of the conditions' paths.
  private let conditions: Set<MemberPath.Step>

  init(_ plan: RowPlan, _ mapping: TableMapping, conditions: [RowCondition]) {
    (self.plan, self.mapping) = (plan, mapping)
    self.conditions = Set(conditions.compactMap(\.member.steps.first))
  }

  /// The problem and its remedy; `nil` if the header is valid.
  func flaw(_ names: [String]) -> String? { doubled(names) ?? unfilledKey(names) ?? emptied(names) }

  /// Duplicate names are allowed if nothing reads them.
  private func doubled(_ names: [String]) -> String? {
    var seen: Set<[UInt8]> = []
    return names.first {
      let isRead = plan.root.child(Array($0.utf8)) != nil || conditions.contains(.member($0))
      return isRead && !seen.insert(Array($0.utf8)).inserted
    }
    .map { "the header has the name \"\($0.clipped)\" twice: rename one of them" }
  }

  private func unfilledKey(_ names: [String]) -> String? {
    let filled = filled(names)
    guard let missing = plan.target.key.first(where: { !filled.contains($0) }) else { return nil }
    return "the header has no field for the key column \"\(plan.table.columns[missing].name)\"\(found(names))"
  }

  private func filled(_ names: [String]) -> Set<Int> {
    var filled = Set((plan.constants + plan.defaults).map(\.column))
    filled.formUnion(columns(of: plan.root).filter(\.conversion.takesObjects).map(\.column))
    for node in names.compactMap({ plan.root.child(Array($0.utf8)) }) {
      filled.formUnion(columns(of: node).map(\.column))
      if let relation = node.relation, case .object(let keys) = plan.relations[relation].kind {
        filled.formUnion(keys)
      }
    }
    return filled
  }

  private func columns(of node: MemberNode) -> [ValueReader.Target] { node.columns.map { plan.columns[$0] } }

  /// In replace mode, a wrong name would empty a whole column.
  private func emptied(_ names: [String]) -> String? {
    guard plan.target.mode == .replace else { return nil }
    for (column, source) in mapping.columns.sorted(by: { $0.key < $1.key }) {
      guard case .member(let name)? = source.member.steps.first,
        !names.contains(where: { $0.utf8.elementsEqual(name.utf8) })
      else { continue }
      return
        "the header has no field \"\(name)\" for the column \"\(column)\", which the mode replace would empty"
        + found(names)
    }
    return nil
  }

  private static let mostShown = 12

  private func found(_ names: [String]) -> String {
    let shown = names.prefix(Self.mostShown).map { "\"\($0.clipped)\"" }
    let rest = names.count > shown.count ? ", …" : ""
    return ": it has \(shown.joined(separator: ", "))\(rest); map one of these, or correct the delimiter"
  }
}

// The plan's columns as CSV fields.
extension RowPlan {
  /// The value of an empty field with this name. It depends on the columns that the field fills or references.
  func empty(_ field: String, _ rule: CSVFormat.EmptyFields) -> RecordHeader.Empty {
    // Looked up once for all records. This also records unread names for `MemberSurvey`.
    guard let node = Array(field.utf8).withUnsafeBufferPointer({ root.target(at: 0, $0) }) else {
      return RecordHeader.Empty()
    }
    var empty = RecordHeader.Empty()
    for column in node.columns { empty = empty.joined(rule.kinds(columns[column].schema)) }
    if let relation = node.relation, let key = relations[relation].plan.target.key.first {
      // The reference may be NULL even if the referenced key may not.
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
