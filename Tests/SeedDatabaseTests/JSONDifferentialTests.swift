import Foundation
import SeedDatabase
import SeedFormat
import Support
import Testing

/// Compares our JSON parser with SQLite's.
///
/// Ours is deliberately stricter about duplicate names, nesting deeper than ``Limits/jsonDepth``, invalid UTF-8 and
/// lone surrogates. SQLite 3.40 also reads some values differently:
/// - its text ends at the first NUL, so documents with one are not compared;
/// - a string ends before an escaped U+0000, so ours is truncated there before the comparison;
/// - numbers beyond a double's range become infinity, integers beyond 64 bits become doubles;
/// - minus zero becomes zero;
/// - its doubles come from extended precision and may differ by a few units in the last place.
@Suite struct JSONDifferentialTests {
  private static let documents = Stage.pick(quick: 4_000, full: 20_000, deep: 200_000)

  @Test func `SQLite accepts the same documents and reads the same values`() throws {
    let seed = Stage.seed
    var documents = JSONDifferentialDocuments(seed: seed)
    let reference = try SQLiteReading()
    var accepted = 0
    for number in 0..<Self.documents {
      let document = documents.next()
      let ours = JSONReading(valueOf: document)
      let theirs = try reference.accepts(document)
      let shown: Comment =
        "\(String(decoding: document, as: UTF8.self).debugDescription), document \(number) of seed \(seed)"
      #expect(isSameVerdict(ours, theirs), shown)
      guard ours.error == nil, theirs else { continue }
      accepted += 1
      let (values, others) = (Self.values(ours.events), try reference.values(document))
      let areSame = values.count == others.count && zip(values, others).allSatisfy(JSONAtom.same)
      #expect(areSame, "\("\(values) \(others)".debugDescription): \(shown.rawValue)")
    }
    #expect(accepted > Self.documents / 2)
  }

  private func isSameVerdict(_ ours: JSONReading, _ theirs: Bool) -> Bool {
    guard let error = ours.error else { return theirs }
    return !theirs || Self.stricter.contains { error.reason.hasPrefix($0) }
  }

  /// Prefixes of our errors that SQLite does not report.
  private static let stricter = [
    "duplicate member name", "nesting deeper", "a string that is not valid UTF-8",
    "not a Unicode escape, or a lone surrogate",
  ]

  private static func values(_ events: [JSONEvent]) -> [JSONAtom] {
    var key: String?
    return events.compactMap { event in
      if case .token(.name(let name)) = event {
        key = name
        return nil
      }
      defer { key = nil }
      return JSONAtom(event, key)
    }
  }

  @Test func `SQLite is still laxer in exactly the known points`() throws {
    let reference = try SQLiteReading()
    let deep = Limits.jsonDepth + 1
    for document in [
      Array(#"{"a":1,"a":2}"#.utf8),
      Array((String(repeating: "[", count: deep) + String(repeating: "]", count: deep)).utf8),
      [0x22, 0xFF, 0x22], Array(#""\ud800""#.utf8), Array(#""\udc00\ud800""#.utf8), Array("1\0x".utf8),
    ] {
      #expect(try reference.accepts(document))
      #expect(JSONReading(valueOf: document).error != nil)
    }
  }
}

private struct JSONAtom {
  /// The name of the member; nil for array elements.
  let key: String?
  let type: String
  let value: SeedValue

  init(key: String?, type: String, value: SeedValue) {
    (self.key, self.type, self.value) = (key, type, value)
  }

  init?(_ event: JSONEvent, _ key: String?) {
    self.key = key.map(Self.cut)
    switch event {
    case .token(.beginArray): (type, value) = ("array", .null)
    case .token(.beginObject): (type, value) = ("object", .null)
    case .token(.null): (type, value) = ("null", .null)
    case .token(.bool(let bool)): (type, value) = (bool ? "true" : "false", .integer(bool ? 1 : 0))
    case .token(.integer(let number)): (type, value) = ("integer", .integer(number))
    case .token(.string(let text)): (type, value) = ("text", .text(Self.cut(text)))
    case .real(let bits): (type, value) = ("real", .real(Double(bitPattern: bits)))
    case .beyond(let text):
      // The standard library's result: infinity, or a double instead of an integer.
      type = text.contains { ".eE".contains($0) } ? "real" : "integer"
      value = .real(Double(text) ?? .nan)
    default: return nil
    }
  }

  private static func cut(_ text: String) -> String { String(text.unicodeScalars.prefix { $0 != "\0" }) }

  static func same(_ left: JSONAtom, _ right: JSONAtom) -> Bool {
    guard left.key == right.key, left.type == right.type else { return false }
    guard case .real(let a) = left.value, case .real(let b) = right.value else {
      return left.value == right.value
    }
    // Near the ends of the range SQLite scales in steps and loses more precision.
    let unit = max(a.magnitude.ulp, .leastNonzeroMagnitude)
    return a == b || (a - b).magnitude <= 4 * unit
  }
}

private struct SQLiteReading {
  private let connection: Connection

  init() throws { connection = try Connection(":memory:", .memory) }

  // A blob with a cast, because a document may be invalid UTF-8.
  func accepts(_ document: [UInt8]) throws -> Bool {
    let statement = try connection.cached("SELECT json_valid(CAST(?1 AS TEXT))")
    try statement.bind([.blob(document)])
    return try statement.step() && statement.value(0) == .integer(1)
  }

  func values(_ document: [UInt8]) throws -> [JSONAtom] {
    let statement = try connection.cached(
      "SELECT iif(typeof(key) = 'text', key, NULL), type, atom FROM json_tree(CAST(?1 AS TEXT))")
    try statement.bind([.blob(document)])
    var atoms: [JSONAtom] = []
    while try statement.step() {
      guard case .text(let type) = try statement.value(1) else { continue }
      let key: String? = if case .text(let key) = try statement.value(0) { key } else { nil }
      atoms.append(JSONAtom(key: key, type: type, value: try statement.value(2)))
    }
    return atoms
  }
}
