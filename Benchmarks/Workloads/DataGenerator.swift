import SeedFormat

/// The seeded source of every workload's data (SplitMix64).
struct DataGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  mutating func integer(_ bound: Int) -> SeedValue { .integer(Int64(below(bound))) }

  /// A number with a fraction, like coordinates and prices.
  mutating func real(_ bound: Int) -> SeedValue {
    .real(Double(below(bound)) + Double(below(9_999) + 1) / 10_000)
  }

  private static let words = [
    "Anna", "Bülow", "Čapek", "Dora", "Erdal", "Fritz", "Grüner Weg", "Hauptstraße", "Ilse", "Jürgen", "Karl",
    "Löwe", "Mia", "Nguyễn", "Østergård", "Paul", "Quinn", "Rosa", "Søren", "Tempelhof", "Ute", "Viktoria",
    "Wedding", "Xaver", "Yıldız", "Zoo",
  ]

  mutating func word() -> String { Self.words[below(Self.words.count)] }

  mutating func text(_ words: Int) -> String { (0..<words).map { _ in word() }.joined(separator: " ") }

  mutating func digits(_ count: Int) -> String { String((0..<count).map { _ in Character("\(below(10))") }) }
}
