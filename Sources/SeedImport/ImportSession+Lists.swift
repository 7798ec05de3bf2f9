import SeedFormat

extension ImportSession {
  final class List {
    let plan: RowPlan
    let names: ValueReader.Target?
    let selection: RowSelection
    let isOpen: Bool
    let csv: CSVFormat?
    fileprivate let header: HeaderCheck

    /// `besides` are members that other lists in the same place read.
    init(_ list: ImportMapping.List, besides: [MemberPath], _ builder: PlanBuilder) throws {
      plan = try builder.plan(list.table, conditions: besides)
      plan.target.isSelected = plan.target.isSelected || !list.conditions.isEmpty
      selection = RowSelection(list.conditions)
      isOpen = list.conditions.isEmpty
      csv = list.csv
      header = HeaderCheck(plan, list.table, conditions: selection.members)
      names =
        if case .dictionary(let name) = list.layout { try builder.target(name, plan.table) } else { nil }
    }

    func empty(_ name: String, _ rule: CSVFormat.EmptyFields) -> RecordHeader.Empty {
      plan.empty(name, rule)
    }
  }

  /// Resets the source for the next document; its header must fit all lists of records.
  func restartSource() throws {
    let (frame, lists) = (self.frame, self.lists)
    // Rejected rows of CSV are lines of JSON.
    let csv = isRejects ? nil : frame.csv
    do throws(ImportFailure) {
      try source.restart(csv, isLines: frame.isLines || isRejects) {
        lists[frame.first].empty($0, csv?.empty ?? .quotes)
      } flawOfHeader: { names in
        frame.nodes[DocumentFrame.root].lists.lazy.compactMap { lists[$0].header.flaw(names) }.first
      }
    } catch {
      throw ImportFailure(error.code, "\(place.document): \(error.message)")
    }
  }
}
