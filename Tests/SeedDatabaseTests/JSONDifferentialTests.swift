import Foundation
import SeedDatabase
import SeedFormat
import Support
import Testing

/// Our reading of JSON against SQLite's, which somebody else wrote.
///
/// We are stricter on purpose in four points: duplicate names, nesting deeper than ``Limits/jsonDepth``, texts
/// that are not UTF-8, lone surrogates. SQLite 3.40 is laxer or cruder in values as well:
/// - its text ends at the first NUL, so a document with one is not compared;
/// - a text ends before an escaped U+0000, so what we read is cut there before it is compared;
/// - numbers beyond the range of a double become an infinity, integers beyond 64 bits become doubles;
/// - minus zero becomes zero;
/// - its doubles come from extended precision and may be off by a unit in the last place or a few.
@Suite struct JSONDifferentialTests {
  private static let documents = Stage.isDeep ? 200_000 : 20_000

  @Test func `SQLite accepts the same documents and reads the same values`() throws {
    let seed: UInt64 = Stage.isDeep ? .random(in: 0 ... .max) : 3_040
    var documents = JSONDifferentialDocuments(seed: seed)
    let reference = try SQLiteReading()
    var accepted = 0
    for number in 0..<Self.documents {
      let document = documents.next()
      let ours = JSONReading(valueOf: document)
      let theirs = try reference.accepts(document)
      let shown: Comment =
        "\(String(decoding: document, as: UTF8.self).debugDescription), document \(number) of seed \(seed)"
      expectSameVerdict(ours, theirs, shown)
      guard ours.error == nil, theirs else { continue }
      accepted += 1
      expectSameValues(Self.values(ours.events), try reference.values(document), shown)
    }
    #expect(accepted > Self.documents / 2)
  }

  private func expectSameVerdict(_ ours: JSONReading, _ theirs: Bool, _ shown: Comment) {
    guard let error = ours.error else {
      #expect(theirs, shown)
      return
    }
    let isStricter = Self.stricter.contains { error.reason.hasPrefix($0) }
    if theirs { #expect(isStricter, "\(error): \(shown.rawValue)") }
  }

  /// How the errors begin that SQLite does not know.
  private static let stricter = [
    "duplicate member name", "nesting deeper", "a string that is not valid UTF-8",
    "not a Unicode escape, or a lone surrogate",
  ]

  private func expectSameValues(_ ours: [JSONAtom], _ theirs: [JSONAtom], _ shown: Comment) {
    let isSame = ours.count == theirs.count && zip(ours, theirs).allSatisfy(JSONAtom.same)
    #expect(isSame, "\("\(ours) \(theirs)".debugDescription): \(shown.rawValue)")
  }

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

  @Test func `the points in which SQLite is laxer are still the known ones`() throws {
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

/// One value as `json_tree` describes it.
private struct JSONAtom {
  /// The name of the member; array indexes are left out.
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
      // What the standard library makes of it: an infinity, or a double in place of an integer.
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
    // Around the ends of the range SQLite scales in steps, and loses more.
    let unit = max(a.magnitude.ulp, .leastNonzeroMagnitude)
    return a == b || (a - b).magnitude <= 4 * unit
  }
}

/// What SQLite makes of a document.
private struct SQLiteReading {
  private let connection: Connection

  init() throws { connection = try Connection(":memory:", .memory) }

  // A blob, cast: not every document is valid UTF-8.
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
