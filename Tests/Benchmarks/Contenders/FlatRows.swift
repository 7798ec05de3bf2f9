import SeedDatabase
import SeedFormat

/// A document of lists of flat objects, by their tables' names.
struct FlatRows: ~Copyable {
  private var scanner: JSONScanner
  private var tape = JSONTape()
  private var values: [BorrowedValue] = []

  init(_ document: [UInt8]) { scanner = JSONScanner(document) }

  mutating func read(_ writer: (String) throws -> (TableSchema, TableWriter)) throws {
    guard try scanner.next() == .beginObject else { throw problem("document") }
    while case .name(let name) = try scanner.next() {
      guard try scanner.next() == .beginArray else { throw problem(name) }
      let (table, writer) = try writer(name)
      let names = table.columnNames.map { Array($0.utf8) }
      while try scanner.nextValue(&tape) == .value {
        try readRow(names)
        try writer.upsert(values)
      }
    }
  }

  private mutating func readRow(_ names: [[UInt8]]) throws {
    values.removeAll(keepingCapacity: true)
    guard tape.kind(0) == .object, tape.count(0) == names.count else { throw problem("row") }
    var member = 1
    for name in names {
      guard scanner.text(member, of: tape).elementsEqual(name) else { throw problem("member") }
      values.append(try value(member + 1))
      member = tape.end(of: member + 1)
    }
  }

  private func value(_ index: Int) throws -> BorrowedValue {
    switch tape.kind(index) {
    case .null: .null
    case .integer: .integer(tape.integer(index))
    case .real: .real(tape.real(index))
    case .string: .text(scanner.text(index, of: tape))
    default: throw problem("value")
    }
  }

  private func problem(_ what: String) -> BenchmarkError {
    .unexpected(what, in: "the document at byte \(scanner.offset)")
  }
}
