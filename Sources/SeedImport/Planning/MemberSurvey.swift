import SeedDatabase
import SeedFormat

/// Finds members that the mapping reads and no row had. Rows cost nothing extra: nodes are marked when a name is looked
/// up, which happens once for many rows.
struct MemberSurvey {
  private let target: ImportTarget
  private let root: MemberNode
  private let listed: [(column: String?, path: MemberPath)]
  private let byName: [(column: String, node: MemberNode)]
  private let key: Set<String>
  private let conditions: [MemberPath]

  init(
    _ plan: RowPlan, _ mapping: TableMapping, byName: [(column: String, node: MemberNode)],
    conditions: [MemberPath]
  ) {
    self.conditions = conditions
    target = plan.target
    root = plan.root
    let columns = mapping.columns.sorted { $0.key < $1.key }.map { ($0.key as String?, $0.value.member) }
    listed = columns + mapping.relations.map { (nil, $0.member) }
    let key = Set(plan.table.keyNames)
    self.key = key
    self.byName = byName.filter { !key.contains($0.column) }
  }

  var missing: [ImportReport.MissingMember] {
    let report = target.report
    // Bare keys are rows without members.
    guard report.inserted + report.updated + report.unchanged > 0, root.isSeen else { return [] }
    return listed.compactMap(missing) + missingByName
  }

  private func missing(_ column: String?, _ path: MemberPath) -> ImportReport.MissingMember? {
    var (node, steps) = (root, path.steps[...])
    while let step = steps.first, let child = node.next(step) {
      guard child.isSeen else {
        return .init(
          table: target.table.name, member: path, column: column,
          similar: similar(step, among: unwanted(node, at: path.steps.dropLast(steps.count)), path))
      }
      (node, steps) = (child, steps.dropFirst())
    }
    return nil
  }

  /// Names like the missing one, or a name with dots that was written as a path.
  private func similar(_ step: MemberPath.Step, among names: [String], _ path: MemberPath) -> [String] {
    guard case .member(let name) = step else { return [] }
    if let dotted = path.names?.joined(separator: "."), path.steps.count > 1, names.contains(dotted) {
      return [dotted]
    }
    let alike = Self.alike(name, among: names)
    return alike.isEmpty ? nearestName(to: name, in: names, orBeginning: false).map { [$0] } ?? [] : alike
  }

  /// Unlisted columns often have no member. One is reported only if a member has a similar name, or if no member but
  /// the key's matched a column.
  private var missingByName: [ImportReport.MissingMember] {
    let isAnyFound = byName.contains { $0.node.isSeen } || listed.contains(where: isFoundBesideKey)
    return byName.compactMap { column, node in
      guard !node.isSeen else { return nil }
      let names = unwanted(root, at: [])
      let alike = Self.alike(column, among: names)
      let near = alike.isEmpty ? Self.misspelled(column, among: names) : alike
      let similar = near.isEmpty && !isAnyFound ? names : near
      guard !similar.isEmpty else { return nil }
      return .init(
        table: target.table.name, member: MemberPath(names: [column]), column: column, similar: similar)
    }
  }

  private func isFoundBesideKey(_ column: String?, _ path: MemberPath) -> Bool {
    guard column.map({ !key.contains($0) }) ?? true, let step = path.steps.first else { return false }
    return root.next(step)?.isSeen ?? false
  }

  /// Members of the node at a path that the mapping does not read.
  private func unwanted(_ node: MemberNode, at path: ArraySlice<MemberPath.Step>) -> [String] {
    let read = conditions.filter { $0.steps.count > path.count && $0.steps.starts(with: path) }
      .map { $0.steps[path.count] }
    return node.unwanted.map { String(decoding: $0, as: UTF8.self) }.filter { !read.contains(.member($0)) }
      .sorted()
  }

  /// Names that differ only in case, spaces and punctuation.
  private static func alike(_ name: String, among names: [String]) -> [String] {
    let wanted = letters(name)
    return names.filter { letters($0) == wanted }
  }

  /// Shorter names are often alike without being related.
  private static let fewestLetters = 4

  /// The name that differs from a column's by one letter.
  private static func misspelled(_ column: String, among names: [String]) -> [String] {
    guard column.count >= fewestLetters,
      let nearest = nearestName(to: column, in: names, orBeginning: false),
      editDistance(Array(letters(column)), Array(letters(nearest))) == 1
    else { return [] }
    return [nearest]
  }

  private static func letters(_ name: String) -> String {
    name.lowercased().filter { $0.isLetter || $0.isNumber }
  }
}
