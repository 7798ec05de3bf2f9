/// Invented names of stops and lines in the style of Berlin's.
enum DemoNames {
  private static let beginnings = [
    "Ahorn", "Amsel", "Anger", "Birken", "Blumen", "Brunnen", "Buchen", "Dahlien", "Dorf", "Drossel",
    "Eichen", "Erlen", "Falken", "Feld", "Fichten", "Finken", "Garten", "Ginster", "Glocken", "Hafen",
    "Hasel", "Heide", "Holunder", "Insel", "Kastanien", "Kirsch", "Kranich", "Lärchen", "Lerchen", "Linden",
    "Mühlen", "Nelken", "Pappel", "Quell", "Reiher", "Rosen", "Schleusen", "Schwanen", "See", "Sonnen",
    "Spatzen", "Tannen", "Ulmen", "Wald", "Weiden", "Wiesen", "Ziegel", "Zeisig",
  ]
  private static let endings = [
    "allee", "brücke", "damm", "grund", "hof", "markt", "park", "pfad", "platz", "promenade", "ring",
    "straße", "tor", "ufer", "weg", "winkel",
  ]
  private static let quarters = [
    "Nord", "Süd", "Ost", "West", "Mitte", "Altstadt", "Vorstadt", "Siedlung", "Schule", "Friedhof",
    "Rathaus",
  ]
  private static let kinds = ["S ", "U ", "S+U "]

  static func stop(_ generator: inout SeededGenerator) -> String {
    let kind = generator.below(20) == 0 ? generator.pick(kinds) : ""
    let name = kind + generator.pick(beginnings) + generator.pick(endings)
    return generator.below(3) == 0 ? "\(name) (\(generator.pick(quarters)))" : name
  }

  static func line(_ number: Int) -> (name: String, kind: String, color: String) {
    switch number {
    case 0..<16: ("S\(number + 1)", "suburban", "#008D4F")
    case 16..<26: ("U\(number - 15)", "underground", "#115D91")
    case 26..<50: ("M\(number - 25)", "tram", "#BE1414")
    default: ("\(number + 50)", "bus", "#A5027D")
    }
  }
}

/// A generator with the same numbers on every platform for a seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number below `bound`. The standard library's mapping of bits to ranges may change between releases.
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
