package import SeedDatabase
import SeedFormat

/// Reads JSON members and CSV fields into a receiver's columns, and converts their values.
final class RowBinding {
  private let receiver: any RowReceiver
  private let reader = ValueReader()
  /// The targets by field index in a CSV header.
  @exclusivity(unchecked) private var fields: [ValueReader.Target?] = []
  /// The targets by the numbers of member nodes.
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
    // Limits the cache, because rows may have any number of members for which there is no column.
    if node != nil || known.count < 2 * ReceivedColumn.most { known[name] = .some(node) }
    return node
  }

  /// Binds the fields of a CSV header; returns the error if the header is invalid.
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
        // Without this check, the last of several members would silently fill the column.
        guard !filled.contains(target.column) else {
          throw RejectedRow(
            .malformed, "several members, which differ in case or spaces, fit this column: keep one",
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
          UnsafeBufferPointer(
            start: base + (Int(entry.pointee.payload) - start), count: entry.pointee.count))
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
  /// The error in the header of a CSV document; `nil` if the header is valid.
  func flaw(ofHeader names: [String]) -> String?
  /// The column for a member or field; `nil` to ignore it.
  func column(_ name: String) -> ReceivedColumn?
  var width: Int { get }
  /// Takes rows whose values are valid until it returns. Columns that a row does not mention are NULL.
  func take(_ rows: LentRows) throws
}

/// A column's index in the receiver, and its schema.
package struct ReceivedColumn {
  let number: Int
  let schema: ColumnSchema

  package init(_ number: Int, _ schema: ColumnSchema) { (self.number, self.schema) = (number, schema) }

  /// Maximum number of columns in a SQLite table.
  package static let most = 2000
}
