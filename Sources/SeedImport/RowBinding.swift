package import SeedDatabase
import SeedFormat

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
  private let keyColumn: String?
  private var names: ValueReader.Target?
  /// Whether members with different names are the same column.
  @exclusivity(unchecked) private var hasAliases = false

  init(_ layout: ImportMapping.Layout, _ receiver: any RowReceiver) {
    self.receiver = receiver
    keyColumn = if case .dictionary(let name) = layout { name } else { nil }
    members = MemberNode { [unowned self] name in node(name) }
    names = keyColumn.flatMap(target)
  }

  func clear() { reader.bytes.clear() }

  func column(_ name: String) -> ColumnSchema? { receiver.column(name)?.schema }

  private func target(_ name: String) -> ValueReader.Target? {
    receiver.column(name).map {
      ValueReader.Target(column: $0.number, schema: $0.schema, conversion: .automatic)
    }
  }

  private func node(_ name: [UInt8]) -> MemberNode? {
    if let node = known[name] { return node }
    let target = target(String(decoding: name, as: UTF8.self))
    if let target, targets.contains(where: { $0.column == target.column }) { hasAliases = true }
    let node = target.map { _ in MemberNode() }
    node?.columns = [targets.count]
    if let target { targets.append(target) }
    known[name] = .some(node)
    return node
  }

  func begin(_ names: [String]) -> String? {
    fields = names.map(target)
    return nil
  }

  func read(
    _ source: borrowing DocumentSource, _ name: String?, into row: UnsafeMutablePointer<BorrowedValue>
  ) throws(RejectedRow) {
    if source.isRecord { return try readRecord(source, row) }
    guard source.tape.kind(0) == .object else { throw reader.notAnObject(0, source) }
    if let name, let names { row[names.column] = try reader.read(name: name, for: names) }
    var member = 1
    for place in 0..<source.tape.count(0) {
      if let node = members.target(at: place, source.text(member)) {
        let target = targets[node.columns[0]]
        row[target.column] = try value(member + 1, source, target)
      }
      member = source.tape.end(of: member + 1)
    }
    if hasAliases { try refuseAliases(in: source) }
  }

  /// Rejects a row with several members for a column, because one would hide the others.
  private func refuseAliases(in source: borrowing DocumentSource) throws(RejectedRow) {
    var (columns, member) = (Set<Int>(), 1)
    for place in 0..<source.tape.count(0) {
      if let node = members.target(at: place, source.text(member)) {
        let target = targets[node.columns[0]]
        guard columns.insert(target.column).inserted else {
          throw RejectedRow(
            .malformed, "the row has several members of this name, which differ in case or spaces: keep one",
            column: target.schema.name)
        }
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
  /// The error in the header of a CSV document; `nil` if rows may follow.
  func flaw(ofHeader names: [String]) -> String?
  /// The column for a member or field; `nil` to ignore it. Called once for each name in a document.
  func column(_ name: String) -> ReceivedColumn?
  var width: Int { get }
  /// Takes rows whose values are valid until it returns. Columns that a row does not mention are NULL.
  func take(_ rows: LentRows) throws
}

/// A column by its index in the receiver, and its type.
package struct ReceivedColumn {
  let number: Int
  let schema: ColumnSchema

  package init(_ number: Int, _ schema: ColumnSchema) { (self.number, self.schema) = (number, schema) }

  /// The most columns of an SQLite table.
  package static let most = 2000
}
