import SeedDatabase
import SeedFormat

/// Reads one document's rows without a mapping, and passes them to a receiver, which chooses the columns. The
/// document arrives in pieces: call ``feed(_:)`` for each piece, then ``end()``.
package final class DocumentRows {
  private let document: String
  private let receiver: any RowReceiver
  private let binding: RowBinding
  private let buffer = RowBuffer()
  // Has exclusivity checks, because without them, Swift 6.3.1 never frees the storage of a noncopyable property.
  private var source = DocumentSource()
  @exclusivity(unchecked) private var finder: RowFinder
  @exclusivity(unchecked) package private(set) var count = 0

  /// Maximum number of rows that a receiver takes at a time.
  package static let rowsTaken = 16

  /// Thrown after the last row that the caller asked for.
  package struct Enough: Error {
    package let place: String
  }

  private let most: Int

  /// Creates a reader for rows at a path in the given layout. It throws ``Enough`` after `most` rows.
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
      receiver.column(name).map { empty.kinds($0.schema) } ?? RecordHeader.Empty()
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

  /// Passes the buffered rows on, because the document's next piece invalidates their values.
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
    } catch {
      let part = error.column.map { "column \"\($0)\": " } ?? ""
      throw ImportFailure(.row, "\(place): \(part)\(error.message)")
    }
    buffer.keep()
    guard count < most else { throw Enough(place: place) }
  }

  /// The document with the current row's line, or with the row's number and offset if the document is not CSV.
  package var place: String {
    let offset = source.tape.offset(0)
    source.mark(offset)
    if let line = source.line { return "\(document):\(line)" }
    return "\(document), row \(count), byte \(offset)"
  }
}

/// Collects rows for the receiver. Their values are not copied.
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

  /// Returns room for a row, filled with NULLs; ``keep()`` adds it to the buffer.
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
