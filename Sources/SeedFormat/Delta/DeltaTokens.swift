/// The tokens of a delta, whose document is fetched in pieces on demand.
struct DeltaTokens: ~Copyable {
  private(set) var scanner = JSONScanner()
  private let pieces: DocumentPieces.Source

  init(_ pieces: @escaping DocumentPieces.Source) { self.pieces = pieces }

  mutating func next() throws -> JSONToken {
    while true {
      let token = try scanner.next()
      guard token == .starved else { return token }
      try fetch()
    }
  }

  mutating func nextValue(_ tape: inout JSONTape) throws -> JSONStep {
    while true {
      let step = try scanner.nextValue(&tape)
      guard case .starved = step else { return step }
      try fetch()
    }
  }

  private mutating func fetch() throws(DocumentSourceError) {
    do {
      if try !pieces({ scanner.feed($0) }) { scanner.complete() }
    } catch { throw DocumentSourceError(underlying: error) }
  }

  // MARK: Expected tokens

  func malformed(_ reason: String) -> JSONError { JSONError(at: scanner.offset, reason) }

  mutating func expect(_ token: JSONToken) throws {
    guard try next() == token else { throw malformed("expected \(token)") }
  }

  mutating func expect(_ name: String) throws {
    guard try next() == .name(name) else { throw malformed("expected the member \"\(name)\"") }
  }

  mutating func expectArray(_ name: String) throws {
    try expect(name)
    try expect(.beginArray)
  }

  mutating func strings(_ name: String) throws -> [String] {
    try expectArray(name)
    return try restOfStrings()
  }

  mutating func restOfStrings() throws -> [String] {
    var strings: [String] = []
    while case .string(let text) = try next() { strings.append(text) }
    return strings
  }

  mutating func string(_ name: String) throws -> String {
    try expect(name)
    guard case .string(let text) = try next() else { throw malformed("expected a string as \"\(name)\"") }
    return text
  }

  mutating func number(_ name: String) throws -> Int {
    try expect(name)
    guard case .integer(let value) = try next(), let number = Int(exactly: value) else {
      throw malformed("expected a whole number as \"\(name)\"")
    }
    return number
  }
}

/// Marks an error of a document's source, as opposed to an invalid document.
struct DocumentSourceError: Error { let underlying: any Error }

/// Passes a document to a reader in pieces, so that it need not be in memory.
package enum DocumentPieces {
  /// Passes the next piece to `take`, which must not keep the piece; false at the end.
  package typealias Source = (_ take: (UnsafeRawBufferPointer) -> Void) throws -> Bool

  private static let pieceBytes = 64 * 1024

  package static func of(_ document: [UInt8]) -> Source {
    var taken = 0
    return { take in
      guard taken < document.count else { return false }
      let end = min(taken + pieceBytes, document.count)
      document.withUnsafeBytes { take(UnsafeRawBufferPointer(rebasing: $0[taken..<end])) }
      taken = end
      return true
    }
  }
}
