package import SeedFormat

/// Converts values to the form in which a column stores them. Most values already have it. The others go through a
/// one-row table with one column per affinity, so that SQLite applies its own rules for numbers in strings.
package final class AffinityFitter {
  /// Opened for the first value that needs a conversion.
  private var opened: Connection?
  private let texts = LentBytes()

  package init() {}

  package func fit(_ value: SeedValue, to affinity: Affinity) throws -> SeedValue {
    guard !value.withBorrowed({ Self.fits($0, affinity) }) else { return value }
    let scratch = try scratch()
    try scratch.cached("UPDATE scratch SET c\(affinity.rawValue) = ?").run([value])
    let read = try scratch.cached("SELECT c\(affinity.rawValue) FROM scratch")
    _ = try read.step()
    defer { read.reset() }
    return try read.value(0)
  }

  /// Converts a borrowed row in place. Converted values are valid until the next call.
  package func fit(_ row: inout [BorrowedValue], to affinities: [Affinity]) throws {
    guard let first = row.indices.first(where: { !Self.fits(row[$0], affinities[$0]) }) else { return }
    texts.clear()
    for index in first..<row.count where !Self.fits(row[index], affinities[index]) {
      row[index] = lent(try fit(row[index].owned, to: affinities[index]), instead: row[index])
    }
  }

  /// Returns `original` if it did not change: a blob, or a text that is still a text. Otherwise lends the new value.
  private func lent(_ value: SeedValue, instead original: BorrowedValue) -> BorrowedValue {
    switch (value, original) {
    case (.blob, _), (.text, .text): original
    default: texts.lend(value)
    }
  }

  @inlinable
  package static func fits(_ value: BorrowedValue, _ affinity: Affinity) -> Bool {
    switch (affinity, value) {
    case (.text, .text), (.integer, .integer), (_, .null), (_, .blob), (.blob, _): true
    case (.numeric, .integer): true
    // SQLite stores whole numbers in a REAL column as integers, which loses the sign of −0.0.
    case (.real, .real(let value)): value != 0 || value.sign == .plus
    // A real without a fraction becomes an integer.
    case (.integer, .real(let value)), (.numeric, .real(let value)): value != value.rounded(.towardZero)
    default: false
    }
  }

  private func scratch() throws(DatabaseError) -> Connection {
    if let opened { return opened }
    let scratch = try Connection("scratch", .memory)
    let columns = Affinity.allCases.map { "c\($0.rawValue) \($0.rawValue)" }.joined(separator: ", ")
    try scratch.execute("CREATE TABLE scratch(\(columns)); INSERT INTO scratch DEFAULT VALUES")
    opened = scratch
    return scratch
  }
}
