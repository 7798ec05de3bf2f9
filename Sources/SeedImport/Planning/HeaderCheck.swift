import SeedDatabase
import SeedFormat

/// Looks at a header of CSV for one list, as soon as it is known: what is wrong with it is wrong with every row.
struct HeaderCheck {
  private let plan: RowPlan
  private let mapping: TableMapping
  /// Fields that conditions look at.
  private let conditions: Set<String>

  init(_ plan: RowPlan, _ mapping: TableMapping, conditions: Set<String>) {
    (self.plan, self.mapping, self.conditions) = (plan, mapping, conditions)
  }

  /// What is wrong, and what to do; `nil` where rows may follow.
  func flaw(_ names: [String], _ format: CSVFormat) -> String? {
    doubled(names) ?? unfilledKey(names, format) ?? emptied(names, format)
  }

  /// Names that nothing reads may stand there twice.
  private func doubled(_ names: [String]) -> String? {
    CSVFormat.doubled(names).first { plan.root.child(Array($0.utf8)) != nil || conditions.contains($0) }
      .map { "the header has the name \"\($0)\" twice: rename one of them" }
  }

  // MARK: The key

  private func unfilledKey(_ names: [String], _ format: CSVFormat) -> String? {
    let filled = filled(names)
    guard let missing = plan.target.key.first(where: { !filled.contains($0) }) else { return nil }
    let column = plan.table.columns[missing].name
    let guess = HeaderGuess(names: names, column: column, member: member(of: column), format: format)
    return "the header has no field\(guess.wantedField) for the key column \"\(column)\": \(guess.reason)"
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

  /// The member that the mapping names for a column.
  private func member(of column: String) -> MemberPath? {
    mapping.columns.first { $0.key.lowercased() == column.lowercased() }?.value.member
  }

  // MARK: Columns that would lose their values

  /// In the mode that empties what no field fills, a wrong name would empty a whole column.
  private func emptied(_ names: [String], _ format: CSVFormat) -> String? {
    guard plan.target.mode == .replace else { return nil }
    let listed = mapping.columns.sorted { $0.key < $1.key }
    for (column, member) in listed.map({ ($0.key, $0.value.member) }) {
      guard case .member(let name)? = member.steps.first,
        !names.contains(where: { $0.utf8.elementsEqual(name.utf8) })
      else { continue }
      let guess = HeaderGuess(names: names, column: column, member: member, format: format)
      return
        "the header has no field\(guess.wantedField) for the column \"\(column)\", which the mode replace "
        + "would empty: \(guess.reason)"
    }
    return nil
  }
}
