package import SeedDatabase
import SeedFormat

/// Reads one document's rows unchanged, without a mapping or lookups, for receivers with tables of their own. The
/// document arrives in pieces: call ``feed(_:)`` for each, then ``end()``.
package final class DocumentRows {
  private let document: String
  private let receiver: any RowReceiver
  private let binding: RowBinding
  private let buffer = RowBuffer()
  // Checked, unlike its neighbour: without the check, Swift 6.3.1 never frees the storage of a noncopyable property.
  private var source = DocumentSource()
  @exclusivity(unchecked) private var finder: RowFinder
  @exclusivity(unchecked) package private(set) var count = 0

  /// The most rows that a receiver takes at a time.
  package static let rowsTaken = 16

  /// Thrown after the last row that the caller asked for.
  package struct Enough: Error {
    package let place: String
  }

  private let most: Int

  /// Creates a reader for rows at a path in the given layout. Reading ends with ``Enough`` after `most` rows.
  package init(
    _ document: String, _ layout: ImportMapping.Layout, rows: MemberPath, for receiver: any RowReceiver,
    upTo most: Int = .max
  ) throws {
    (self.document, self.receiver, self.most) = (document, receiver, most)
    let list = ImportMapping.List(TableMapping(document), rows: rows, layout: layout)
    finder = RowFinder(try DocumentFrame([(0, list)]))
    let binding = RowBinding(layout, receiver)
    self.binding = binding
    let empty = list.csv?.empty ?? .quotes
    try source.restart(list.csv) { name in
      binding.column(name).map { empty.kinds($0) } ?? RecordHeader.Empty()
    } flawOfHeader: {
      binding.begin($0)
    }
  }

  package func feed(_ bytes: UnsafeRawBufferPointer) throws {
    source.feed(bytes)
    try run()
  }

  package func end() throws {
    source.scanner.complete()
    try run()
  }

  private func run() throws {
    guard source.scanner.passMark() else { return }
    while true {
      switch try step() {
      case .row(let name):
        try take(name)
        if buffer.isFull { try flush() }
      case .starved, .done: return try flush()
      case .moved: continue
      }
    }
  }

  /// Passes rows on before their values expire with the document's next piece.
  private func flush() throws {
    try buffer.flush(to: receiver)
    binding.clear()
  }

  private func step() throws -> RowFinder.Step {
    do {
      return try finder.step(&source, in: document, row: count + 1)
    } catch let error as JSONError {
      throw ImportFailure(.document, "\(document), byte \(error.offset): \(error.reason)")
    }
  }

  private func take(_ name: String?) throws {
    count += 1
    do throws(RejectedRow) {
      if let flaw = source.flaw { throw flaw }
      try binding.read(source, name, into: buffer.next(width: receiver.width))
    } catch { throw failure(error) }
    buffer.keep()
    guard count < most else { throw Enough(place: place) }
  }

  private func failure(_ error: RejectedRow) -> ImportFailure {
    let part = error.column.map { "column \"\($0)\": " } ?? ""
    return ImportFailure(.row, "\(place): \(part)\(error.message)")
  }

  /// The document and line of the current row; the row's number if the document is not CSV.
  package var place: String {
    let offset = source.tape.offset(0)
    source.mark(offset)
    if let line = source.line { return "\(document):\(line)" }
    return "\(document), row \(count), byte \(offset)"
  }
}

/// Storage for rows that are lent until the receiver takes them.
private final class RowBuffer {
  private let values: UnsafeMutablePointer<BorrowedValue>
  private var count = 0

  init() {
    let size = DocumentRows.rowsTaken * ReceivedColumn.most
    values = .allocate(capacity: size)
    values.initialize(repeating: .null, count: size)
  }

  deinit { values.deallocate() }

  var isFull: Bool { count == DocumentRows.rowsTaken }

  func next(width: Int) -> UnsafeMutablePointer<BorrowedValue> {
    let row = values + count * ReceivedColumn.most
    row.update(repeating: .null, count: width)
    return row
  }

  func keep() { count += 1 }

  func flush(to receiver: any RowReceiver) throws {
    guard count > 0 else { return }
    try receiver.take(LentRows(values, width: ReceivedColumn.most, count: count))
    count = 0
  }
}

/// Binds members and fields to a receiver's columns, with the conversion of their values.
final class RowBinding {
  private let receiver: any RowReceiver
  private let reader = ValueReader()
  /// Targets by field index in a CSV header.
  @exclusivity(unchecked) private var fields: [ValueReader.Target?] = []
  /// Targets by the numbers of member nodes.
  @exclusivity(unchecked) private var targets: [ValueReader.Target] = []
  private var members = MemberNode()
  private var known: [[UInt8]: MemberNode?] = [:]
  /// The column of the rows' names in a dictionary.
  private var names: ValueReader.Target?
  /// The columns that the current row's members fill.
  @exclusivity(unchecked) private var filled = SlotSet()

  init(_ layout: ImportMapping.Layout, _ receiver: any RowReceiver) {
    self.receiver = receiver
    members = MemberNode { [unowned self] name in node(name) }
    if case .dictionary(let name) = layout { names = target(name) }
  }

  func clear() { reader.bytes.clear() }

  func column(_ name: String) -> ColumnSchema? { receiver.column(name)?.schema }

  private func target(_ name: String) -> ValueReader.Target? {
    receiver.column(name).map { .init(column: $0.number, schema: $0.schema) }
  }

  private func node(_ name: [UInt8]) -> MemberNode? {
    if let node = known[name] { return node }
    let node = target(String(decoding: name, as: UTF8.self)).map { target in
      let node = MemberNode()
      node.columns = [targets.count]
      targets.append(target)
      return node
    }
    known[name] = .some(node)
    return node
  }

  /// Binds the fields of a CSV header; returns its error if no row can follow.
  func begin(_ names: [String]) -> String? {
    if let flaw = receiver.flaw(ofHeader: names) { return flaw }
    fields = names.map(target)
    return nil
  }

  func read(
    _ source: borrowing DocumentSource, _ name: String?, into row: UnsafeMutablePointer<BorrowedValue>
  ) throws(RejectedRow) {
    if source.isRecord { return try readRecord(source, row) }
    guard source.tape.kind(0) == .object else { throw reader.notAnObject(0, source) }
    if let name, let names { row[names.column] = try reader.read(name: name, for: names) }
    filled.clear()
    var member = 1
    for place in 0..<source.tape.count(0) {
      if let node = members.target(at: place, source.text(member)) {
        let target = targets[node.columns[0]]
        // One of several members would hide the others.
        guard !filled.contains(target.column) else {
          throw RejectedRow(
            .malformed, "the row has several members of this name, which differ in case or spaces: keep one",
            column: target.schema.name)
        }
        filled.insert(target.column)
        row[target.column] = try value(member + 1, source, target)
      }
      member = source.tape.end(of: member + 1)
    }
  }

  private func readRecord(
    _ source: borrowing DocumentSource, _ row: UnsafeMutablePointer<BorrowedValue>
  ) throws(RejectedRow) {
    let entries = source.tape.entries
    let (base, start) = source.scanner.held
    for slot in fields.indices {
      guard let target = fields[slot] else { continue }
      let entry = entries + (2 &+ 2 &* slot)
      switch (entry.pointee.kind, target.schema.affinity) {
      case (.null, _): row[target.column] = .null
      case (.string, .text) where !entry.pointee.isCopied:
        row[target.column] = .text(
          UnsafeBufferPointer(start: base + (Int(entry.pointee.payload) - start), count: entry.pointee.count))
      default: row[target.column] = try value(2 &+ 2 &* slot, source, target)
      }
    }
  }

  /// Objects and arrays are stored as JSON, which SELECT can query.
  private func value(
    _ index: Int, _ source: borrowing DocumentSource, _ target: ValueReader.Target
  ) throws(RejectedRow) -> BorrowedValue {
    switch source.tape.kind(index) {
    case .object, .array: .text(source.json(index).withUnsafeBufferPointer { reader.bytes.copy($0) })
    default: try reader.read(index, source, for: target)
    }
  }
}

package protocol RowReceiver: AnyObject {
  /// The error in the header of a CSV document; `nil` if rows may follow.
  func flaw(ofHeader names: [String]) -> String?
  /// The column for a member or field; `nil` to ignore it. Called once for each name in a document.
  func column(_ name: String) -> ReceivedColumn?
  var width: Int { get }
  /// Takes rows whose values are valid until it returns. Columns that a row does not mention are NULL.
  func take(_ rows: LentRows) throws
}

package struct ReceivedColumn {
  let number: Int
  let schema: ColumnSchema

  package init(_ number: Int, _ schema: ColumnSchema) { (self.number, self.schema) = (number, schema) }

  package static let most = 2000
}
