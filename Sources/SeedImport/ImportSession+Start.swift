import SeedDatabase
import SeedFormat

extension ImportSession {
  final class List {
    let plan: RowPlan
    let names: ValueReader.Target?
    private let conditions: [RowCondition]
    let csv: CSVFormat?
    fileprivate let header: HeaderCheck
    /// This list's values for empty fields under the latest header. A document's first list does not need them.
    @exclusivity(unchecked) private var empties: (header: RecordHeader, values: [RecordHeader.Empty])?

    init(_ list: ImportMapping.List, _ builder: PlanBuilder) throws {
      plan = try builder.plan(list.table)
      (conditions, csv) = (list.conditions, list.csv)
      header = HeaderCheck(plan, list.table, conditions: list.conditions)
      names =
        if case .dictionary(let name) = list.layout { try builder.target(name, plan.table) } else { nil }
    }

    var isOpen: Bool { conditions.isEmpty }

    func takes(_ source: borrowing DocumentSource) -> Bool { conditions.allSatisfy { isMet($0, source) } }

    /// Sets a record's empty fields for this list's columns. The source has set them for the first list's columns.
    func refill(_ source: borrowing DocumentSource) {
      guard let header = source.records?.header else { return }
      if empties?.header !== header {
        empties = (header, header.names.map { plan.empty($0, csv?.empty ?? .quotes) })
      }
      if let empties { RecordReader.refill(source.tape.entries, empties.values) }
    }

    private func isMet(_ condition: RowCondition, _ source: borrowing DocumentSource) -> Bool {
      guard let index = source.find(condition.member) else { return condition.values.contains(.null) }
      return source.plainValue(index).map { condition.values.contains($0) } ?? false
    }
  }

  /// Resets the source for the next document, whose CSV header must fit all of the document's lists.
  func restartSource() throws {
    let (frame, lists) = (self.frame, self.lists)
    do throws(ImportFailure) {
      try source.restart(frame.csv, isLines: frame.isLines) {
        lists[frame.first].plan.empty($0, frame.csv?.empty ?? .quotes)
      } flawOfHeader: { names in
        frame.nodes[DocumentFrame.root].lists.lazy.compactMap { lists[$0].header.flaw(names) }.first
      }
    } catch { throw ImportFailure(error.code, "\(place.document): \(error.message)") }
  }

  static func checkPreconditions(
    _ connection: Connection, _ mapping: ImportMapping, _ policy: ImportPolicy
  ) throws {
    guard !connection.isInTransaction else {
      throw ImportFailure(
        .database, "the connection is in a transaction: end it first; an import opens its own")
    }
    guard try connection.integer("PRAGMA foreign_keys") == 0 else {
      throw ImportFailure(.database, "\(ImportError.foreignKeysEnforced)")
    }
    let isSeed = try connection.integer(
      "SELECT count(*) FROM sqlite_schema WHERE name = ?", .text(ReservedTable.meta))
    guard isSeed == 0 else {
      throw ImportFailure(
        .database, "\(connection.path) is a published seed: only its publisher's updates may change its rows")
    }
    if case .batched(let rows) = policy.atomicity {
      guard rows > 0 else { throw ImportFailure(.mapping, "a batch must have at least one row") }
      guard !mapping.lists.contains(where: { $0.table.deletes }) else {
        throw ImportFailure(
          .mapping,
          "the mapping has a mode that deletes rows, which works only in one transaction, because a later batch may "
            + "contain these rows: import without batches (omit --batch)")
      }
    }
  }
}

extension TableMapping {
  /// Whether this table or a nested one deletes rows that the import does not mention.
  fileprivate var deletes: Bool {
    mode != .merge || relations.contains { $0.deletes || $0.table.deletes }
  }
}
