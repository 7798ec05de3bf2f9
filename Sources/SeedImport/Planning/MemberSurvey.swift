import SeedDatabase

/// Finds members that the mapping lists and no row had, and mappings by name that matched no column but the key's. Rows
/// cost nothing extra: a plan has a shape for each set of columns that its rows filled, and nodes are marked when names
/// are looked up, which happens once for many rows.
struct MemberSurvey {
  let plan: RowPlan
  let mapping: TableMapping
  let byName: [(column: String, node: MemberNode)]

  var missing: [ImportReport.MissingMember] {
    let report = plan.target.report
    // Bare keys are rows without members.
    guard report.inserted + report.updated + report.unchanged > 0, plan.hasRows else { return [] }
    let listed = zip(mapping.columns.sorted { $0.key < $1.key }, plan.columns)
    let relations = mapping.relations.enumerated().filter { !plan.present.contains($0.offset) }
    let isAnyFound =
      byName.contains { $0.node.isFound }
      || listed.contains { !plan.target.key.contains($1.column) && plan.hasFilled($1.column) }
    return listed.filter { !plan.hasFilled($1.column) }.map { missing($0.0.key, $0.0.value.member) }
      + relations.map { missing(nil, $0.element.member) }
      + (isAnyFound || !plan.root.hasUnread
        ? [] : byName.map { missing($0.column, MemberPath(names: [$0.column])) })
  }

  private func missing(_ column: String?, _ member: MemberPath) -> ImportReport.MissingMember {
    .init(table: plan.table.name, member: member, column: column)
  }
}
