import Support

/// Random documents: valid JSON of all kinds, and slightly broken JSON.
struct JSONDifferentialDocuments {
  private var random: SplitMix
  private var document: [UInt8] = []

  private var budget = 0

  init(seed: UInt64) { random = SplitMix(seed: seed) }

  /// Returns the next document. Two in five are damaged, some without becoming invalid.
  mutating func next() -> [UInt8] {
    document = []
    budget = random.pick([1, 3, 8, 20])
    space()
    value(depth: 0)
    space()
    if random.chance(40) { for _ in 0..<random.pick([1, 1, 2]) { damage() } }
    return document
  }

  // MARK: Valid

  private mutating func value(depth: Int) {
    budget -= 1
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<2 where budget > 0: array(depth)
    case 2..<4 where budget > 0: object(depth)
    case 4: text(random.pick(["true", "false", "null"]))
    case 5...6: number()
    default: string()
    }
  }

  private mutating func array(_ depth: Int) {
    list("[", "]") { documents, _ in documents.value(depth: depth + 1) }
  }

  private mutating func object(_ depth: Int) {
    // Mostly numbered, so that duplicate names are rare.
    let areNumbered = random.chance(95)
    list("{", "}") { documents, index in
      if areNumbered { documents.text("\"m\(index)\"") } else { documents.string() }
      documents.space()
      documents.text(":")
      documents.space()
      documents.value(depth: depth + 1)
    }
  }

  private mutating func list(_ open: String, _ close: String, _ element: (inout Self, Int) -> Void) {
    text(open)
    space()
    for index in 0..<random.pick([0, 1, 2, 3, 5, 20]) where index == 0 || budget > 0 {
      if index > 0 {
        text(",")
        space()
      }
      element(&self, index)
      space()
    }
    text(close)
  }

  private mutating func number() {
    if random.chance(30) { text("-") }
    let digits = random.pick([1, 1, 2, 5, 15, 17, 18, 19, 20, 25])
    text(random.chance(20) ? "0" : "\(Int.random(in: 1...9, using: &random))" + manyDigits(digits - 1))
    if random.chance(40) { text("." + manyDigits(random.pick([1, 2, 6, 17]))) }
    guard random.chance(30) else { return }
    text(random.pick(["e", "E"]) + random.pick(["", "+", "-"]) + manyDigits(random.pick([1, 1, 2, 3])))
  }

  private mutating func manyDigits(_ count: Int) -> String {
    String((0..<count).map { _ in random.pick(Array("0123456789")) })
  }

  private mutating func string() {
    text("\"")
    for _ in 0..<random.pick([0, 1, 3, 8, 12]) {
      text(random.pick(random.chance(70) ? Self.plain : Self.escapes))
    }
    text("\"")
  }

  private static let plain = [
    "a", "b", "name ", "Zürich", "東京", "😀", "\u{7F}", "'", "/", "12345678", "{", "]", "e\u{301}",
  ]
  private static let escapes = [
    #"\""#, #"\\"#, #"\/"#, #"\b"#, #"\f"#, #"\n"#, #"\r"#, #"\t"#, #"\u0041"#, #"\u00e9"#, #"\u20AC"#,
    #"\uD83D\uDE00"#, #"\u0001"#, #"\uFFFF"#,
  ]

  private mutating func space() {
    if random.chance(15) { text(random.pick([" ", "\n", "\t", "\r", "  "])) }
  }

  private mutating func text(_ text: String) { document += text.utf8 }

  // MARK: Broken

  private mutating func damage() {
    guard !document.isEmpty else { return }
    let place = Int.random(in: document.indices, using: &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0: document.remove(at: place)
    case 1: document.removeSubrange(place...)
    case 2: document[place] = random.pick(Self.signs)
    case 3...4: document.insert(random.pick(Self.signs), at: place)
    case 5: document.insert(contentsOf: random.pick(Self.snippets).utf8, at: place)
    case 6: document.insert(contentsOf: document[place...].prefix(12), at: place)
    default: document[place] = UInt8.random(in: 1...255, using: &random)
    }
  }

  private static let signs =
    Array(#"[]{},:"\/-+.eE019 tfnu"#.utf8) + [0x01, 0x0B, 0x0C, 0x1F, 0x7F, 0x80, 0xC3, 0xED]
  private static let snippets = [
    #"\ud800"#, #"\udc00"#, #"\u12"#, #"\x"#, "//", "/**/", "NaN", "Infinity", "0x1F", "00", ".5", "5.", "1e",
    "+1",
    "'a'", ",,", "[]", "{}", #""a":1,"#, "\u{FEFF}", "\u{A0}", "truE", "nul", "--", "e5", "1.5.2",
  ]
}
