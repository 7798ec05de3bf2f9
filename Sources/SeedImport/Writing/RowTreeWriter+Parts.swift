import SeedDatabase
import SeedFormat

// Long rows: their short form is written like any row, and then what it lacks, nested row by nested row.
extension RowTreeWriter {
  /// Writes the parts of the row that the plan holds.
  func writeParts(
    of plan: RowPlan, _ source: borrowing DocumentSource, behind owner: WaitingRow?
  ) throws {
    guard let row = source.whole else { return }
    let (parts, key) = (source.parts, plan.key.map(\.owned))
    try LentBytes.lending(key) { key in
      for part in parts {
        try PartWriter(self, row, plan, plan.relations[part.relation], key, owner).write(part.range)
      }
    }
    // Its bytes went with those of the nested rows.
    for (column, value) in zip(plan.target.key, key) {
      plan.set(column, evaluator.reader.bytes.lend(value))
    }
  }
}

/// Writes the nested rows of a long row, as many together as can be.
private final class PartWriter {
  private let writer: RowTreeWriter
  private let row: LongRow
  private let plan: RowPlan
  private let relation: RowRelation
  private let parent: [BorrowedValue]
  private let owner: WaitingRow?
  private var turn: Int64?
  private var areKnown = true

  init(
    _ writer: RowTreeWriter, _ row: LongRow, _ plan: RowPlan, _ relation: RowRelation,
    _ parent: [BorrowedValue], _ owner: WaitingRow?
  ) {
    (self.writer, self.row, self.plan, self.relation) = (writer, row, plan, relation)
    (self.parent, self.owner) = (parent, owner)
  }

  func write(_ range: Range<Int>) throws {
    turn = try relation.sync?.begin(parent)
    var source = DocumentSource.part(at: range.lowerBound, of: row)
    var elements = PartElements(
      relation.layout, longBytes: relation.plan.hasElements ? writer.longRowBytes : .max)
    let pieces = try row.pieces(range)
    loop: while true {
      switch try elements.next(&source) {
      case .element(let name): try take(name, source)
      case .long(let name, let range): try take(name, range)
      case .end: break loop
      case .starved:
        try writeCollected(source)
        try writer.checkCancelled()
        try pieces.feed(&source.scanner)
      }
    }
    try writeCollected(source)
    if !areKnown, let sync = relation.sync { try writer.keepAll(of: plan.target, parent, sync) }
  }

  private func take(_ name: String?, _ source: borrowing DocumentSource) throws {
    let range = source.tape.offset(0)..<source.scanner.offset
    let element = RowCollector.Row(list: 0, name: name, number: 0, range: range)
    if owner == nil, try writer.collector.collect(element, relation, parent, turn: turn, source) {
      if writer.collector.isFull { try writeCollected(source) }
    } else {
      try writeCollected(source)
      try writeAlone(element.element, source)
    }
  }

  /// A nested row that is long itself, and nothing of which is collected yet.
  private func take(_ name: String?, _ range: Range<Int>) throws {
    let outline = try OutlineMaker.outline(row, range, relation.plan)
    let element = NestedElement(index: 0, name: name.map { .apart($0) })
    try writeAlone(element, try .outline(outline, of: row))
  }

  private func writeCollected(_ source: borrowing DocumentSource) throws {
    for row in try writer.collector.write() { try writeAlone(row.element, source.again(row.range)) }
  }

  private func writeAlone(_ element: NestedElement, _ source: borrowing DocumentSource) throws {
    let isKnown = try writer.write(element, of: relation, parent, turn: turn, source, behind: owner)
    areKnown = areKnown && isKnown
  }
}
