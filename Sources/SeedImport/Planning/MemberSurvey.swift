import SeedDatabase
import SeedFormat

/// Finds members that the mapping reads and no row had. Rows cost nothing extra: a plan has a shape for each set of
/// columns that its rows filled, and nodes note names when they are looked up, which happens once for many rows.
struct MemberSurvey {
  private let plan: RowPlan
  private let mapping: TableMapping
  private let byName: [(column: String, node: MemberNode)]

  init(_ plan: RowPlan, _ mapping: TableMapping, byName: [(column: String, node: MemberNode)]) {
    (self.plan, self.mapping) = (plan, mapping)
    let key = Set(plan.table.keyNames)
    self.byName = byName.filter { !key.contains($0.column) }
  }

  var missing: [ImportReport.MissingMember] {
    let report = plan.target.report
    // Bare keys are rows without members.
    guard report.inserted + report.updated + report.unchanged > 0, plan.hasRows else { return [] }
    return missingColumns + missingRelations + missingByName
  }

  /// The listed columns, with their indexes in the table.
  private var listed: [(name: String, member: MemberPath, column: Int)] {
    zip(mapping.columns.sorted { $0.key < $1.key }, plan.columns).map { ($0.key, $0.value.member, $1.column) }
  }

  private var missingColumns: [ImportReport.MissingMember] {
    listed.filter { !plan.hasFilled($0.column) }
      .map { missing($0.name, $0.member, similar(to: $0.member)) }
  }

  private var missingRelations: [ImportReport.MissingMember] {
    mapping.relations.enumerated().filter { !plan.present.contains($0.offset) }
      .map { missing(nil, $0.element.member, similar(to: $0.element.member)) }
  }

  /// Unlisted columns often have no member. One is reported only if a member has a similar name, or if no member but
  /// the key's matched a column.
  private var missingByName: [ImportReport.MissingMember] {
    let names = unread(plan.root)
    let isAnyFound =
      byName.contains { $0.node.name != nil }
      || listed.contains { !plan.target.key.contains($0.column) && plan.hasFilled($0.column) }
    return byName.compactMap { column, node in
      guard node.name == nil else { return nil }
      let near = Self.near(column, names)
      let similar = near.isEmpty && !isAnyFound ? names : near
      return similar.isEmpty ? nil : missing(column, MemberPath(names: [column]), similar)
    }
  }

  private func missing(
    _ column: String?, _ member: MemberPath, _ similar: [String]
  ) -> ImportReport.MissingMember {
    .init(table: plan.table.name, member: member, column: column, similar: similar)
  }

  /// Unread names like the path's first missing one, or a name with dots that was written as a path.
  private func similar(to path: MemberPath) -> [String] {
    var node = plan.root
    if let dotted = path.names?.joined(separator: "."), unread(node).contains(dotted) { return [dotted] }
    for step in path.steps {
      guard case .member(let name) = step, let next = node.next(step) else { return [] }
      guard next.hasReadNames else {
        return Self.near(name, unread(node))
      }
      node = next
    }
    return []
  }

  /// Members of the node that the mapping does not read.
  private func unread(_ node: MemberNode) -> [String] {
    node.unwanted.map { String(decoding: $0, as: UTF8.self) }.sorted()
  }

  private static func near(_ name: String, _ names: [String]) -> [String] {
    nearestName(to: name, in: names).map { [$0] } ?? []
  }
}
