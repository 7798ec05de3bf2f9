/// Names of stops and lines that sound like Berlin's and belong to no one.
enum DemoNames {
  private static let beginnings = [
    "Ahorn", "Amsel", "Anger", "Birken", "Blumen", "Brunnen", "Buchen", "Dahlien", "Dorf", "Drossel",
    "Eichen",
    "Erlen", "Falken", "Feld", "Fichten", "Finken", "Garten", "Ginster", "Glocken", "Hafen", "Hasel", "Heide",
    "Holunder", "Insel", "Kastanien", "Kirsch", "Kranich", "Lärchen", "Lerchen", "Linden", "Mühlen", "Nelken",
    "Pappel", "Quell", "Reiher", "Rosen", "Schleusen", "Schwanen", "See", "Sonnen", "Spatzen", "Tannen",
    "Ulmen", "Wald", "Weiden", "Wiesen", "Ziegel", "Zeisig",
  ]
  private static let endings = [
    "allee", "brücke", "damm", "grund", "hof", "markt", "park", "pfad", "platz", "promenade", "ring",
    "straße",
    "tor", "ufer", "weg", "winkel",
  ]
  private static let quarters = [
    "Nord", "Süd", "Ost", "West", "Mitte", "Altstadt", "Vorstadt", "Siedlung", "Schule", "Friedhof",
    "Rathaus",
  ]
  private static let kinds = ["S ", "U ", "S+U "]

  /// A stop's name; about one in three names a quarter, one in twenty a railway station.
  static func stop(_ generator: inout SeededGenerator) -> String {
    let kind = generator.below(20) == 0 ? generator.pick(kinds) : ""
    let name = kind + generator.pick(beginnings) + generator.pick(endings)
    return generator.below(3) == 0 ? "\(name) (\(generator.pick(quarters)))" : name
  }

  /// What a line is called, by its number from 0, and what runs on it.
  static func line(_ number: Int) -> (name: String, kind: String, color: String) {
    switch number {
    case 0..<16: ("S\(number + 1)", "suburban", "#008D4F")
    case 16..<26: ("U\(number - 15)", "underground", "#115D91")
    case 26..<50: ("M\(number - 25)", "tram", "#BE1414")
    default: ("\(number + 50)", "bus", "#A5027D")
    }
  }
}
