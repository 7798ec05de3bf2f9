package import SeedFormat

/// The result of reading a document, independent of the way of reading.
package struct JSONReading: Hashable, Sendable, CustomStringConvertible {
  /// Everything read before the end or the error.
  package var events: [JSONEvent] = []
  package var error: JSONError?

  /// Whether the document has a number that only a tape can represent.
  package var hasNumberBeyond: Bool {
    events.contains { if case .beyond = $0 { true } else { false } }
  }

  package var description: String { "\(events) \(error.map { "\($0)" } ?? "accepted")" }
}

package enum JSONEvent: Hashable, Sendable {
  case token(JSONToken)
  /// A double by its bits, so that zero and minus zero differ.
  case real(bits: UInt64)
  /// The text of a number that is neither a 64-bit integer nor in a double's range.
  case beyond(String)

  init(_ token: JSONToken) {
    if case .real(let value) = token { self = .real(bits: value.bitPattern) } else { self = .token(token) }
  }
}

extension JSONReading {
  /// By tokens, in pieces that end at the ascending `cuts`.
  package init(tokensOf document: [UInt8], cuts: some Sequence<Int> = []) {
    var feeder = PieceFeeder(document, cuts)
    do throws(JSONError) {
      while case let token = try feeder.scanner.next(), token != .end {
        if token == .starved { feeder.feed() } else { events.append(JSONEvent(token)) }
      }
    } catch {
      self.error = error
    }
  }

  /// As one value on a tape.
  package init(valueOf document: [UInt8], cuts: some Sequence<Int> = []) {
    var feeder = PieceFeeder(document, cuts)
    do throws(JSONError) {
      events = try feeder.value() ?? []
      try feeder.end()
    } catch {
      self.error = error
    }
  }

  /// As an array whose elements are read to the tape one after another.
  package init(elementsOf document: [UInt8], cuts: some Sequence<Int> = []) {
    var feeder = PieceFeeder(document, cuts)
    do throws(JSONError) {
      while try feeder.scanner.next() == .starved { feeder.feed() }
      events.append(.token(.beginArray))
      while let value = try feeder.value() { events += value }
      events.append(.token(.endArray))
      try feeder.end()
    } catch {
      self.error = error
    }
  }
}

/// A scanner with the remaining pieces.
private struct PieceFeeder: ~Copyable {
  var scanner = JSONScanner()
  private let document: [UInt8]
  private let ends: [Int]
  private var pieces = 0
  private var position = 0
  private var tape = JSONTape()

  init(_ document: [UInt8], _ cuts: some Sequence<Int>) {
    self.document = document
    ends = cuts + [document.count]
  }

  mutating func feed() {
    guard pieces < ends.count else { return scanner.complete() }
    let piece = position..<ends[pieces]
    document.withUnsafeBytes { scanner.feed(UnsafeRawBufferPointer(rebasing: $0[piece])) }
    (pieces, position) = (pieces + 1, piece.upperBound)
  }

  mutating func value() throws(JSONError) -> [JSONEvent]? {
    var step = try scanner.nextValue(&tape)
    while step == .starved {
      feed()
      step = try scanner.nextValue(&tape)
    }
    guard step == .value else { return nil }
    var events: [JSONEvent] = []
    append(0, &events)
    return events
  }

  mutating func end() throws(JSONError) {
    while try scanner.next() == .starved { feed() }
  }

  private func append(_ index: Int, _ events: inout [JSONEvent]) {
    switch tape.kind(index) {
    case .null: events.append(.token(.null))
    case .no: events.append(.token(.bool(false)))
    case .yes: events.append(.token(.bool(true)))
    case .integer: events.append(.token(.integer(tape.integer(index))))
    case .real: events.append(.real(bits: tape.real(index).bitPattern))
    case .beyond: events.append(.beyond(scanner.string(index, of: tape)))
    case .string: events.append(.token(.string(scanner.string(index, of: tape))))
    case .name: events.append(.token(.name(scanner.string(index, of: tape))))
    case .array: appendContent(index, .beginArray, .endArray, &events)
    case .object: appendContent(index, .beginObject, .endObject, &events)
    }
  }

  private func appendContent(
    _ container: Int, _ first: JSONToken, _ last: JSONToken, _ events: inout [JSONEvent]
  ) {
    events.append(.token(first))
    var index = container + 1
    while index < tape.end(of: container) {
      append(index, &events)
      index = tape.end(of: index)
    }
    events.append(.token(last))
  }
}
