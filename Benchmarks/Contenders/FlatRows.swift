import SeedDatabase
import SeedFormat

/// A document of lists of flat objects, named by table.
struct FlatRows: ~Copyable {
  private var scanner = JSONScanner()
  private var tape = JSONTape()
  private var values: [BorrowedValue] = []
  private let pieces: DocumentPieces.Source

  init(_ pieces: @escaping DocumentPieces.Source) { self.pieces = pieces }

  mutating func read(_ rows: (String) throws -> (TableSchema, TableRows)) throws {
    guard try token() == .beginObject else { throw problem("document") }
    while case .name(let name) = try token() {
      guard try token() == .beginArray else { throw problem(name) }
      let (table, batch) = try rows(name)
      let names = table.columnNames.map { Array($0.utf8) }
      while try hasRow() {
        try readRow(names)
        try batch.write(lent: values)
      }
      try batch.flush()
    }
  }

  private mutating func token() throws -> JSONToken {
    var token = try scanner.next()
    while token == .starved {
      try fetch()
      token = try scanner.next()
    }
    return token
  }

  private mutating func hasRow() throws -> Bool {
    var step = try scanner.nextValue(&tape)
    while step == .starved {
      try fetch()
      step = try scanner.nextValue(&tape)
    }
    return step == .value
  }

  private mutating func fetch() throws {
    if try !pieces({ scanner.feed($0) }) { scanner.complete() }
  }

  private mutating func readRow(_ names: [[UInt8]]) throws {
    values.removeAll(keepingCapacity: true)
    guard tape.kind(0) == .object, tape.count(0) == names.count else { throw problem("row") }
    var member = 1
    for name in names {
      let found = scanner.text(member, of: tape)
      let isSame = name.withUnsafeBufferPointer { BorrowedValue.same(.text($0), .text(found)) }
      guard isSame else { throw problem("member") }
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
