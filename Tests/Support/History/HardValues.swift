package import SeedFormat

/// Edge cases by column type.
package enum HardValues {
  private static let texts = [
    "", "a", "A", "berlin", "BERLIN", "Berlin", "berlin ", "x\u{0}y", "x\u{0}z", "é", "e\u{301}", "\u{1F600}",
    "'", "\"",
    "12", "12.0", "1e3", " 7", "{\"i64\":\"1\"}", "NULL", "\\", "\n\t\u{1}", "𝔘\u{FFFD}",
    String(repeating: "long ", count: 300),
  ]
  private static let integers: [Int64] = [
    0, 1, -1, 12, 1000, 9_007_199_254_740_991, 9_007_199_254_740_992, -9_007_199_254_740_993, .max, .min,
  ]
  private static let reals = [
    0.0, -0.0, 1.0, 12.0, 1.5, -2.25, 0.1, 1e300, -1e300, 5e15, 9.3e18, Double.leastNonzeroMagnitude,
    .infinity, -.infinity,
    9_007_199_254_740_992.0,
  ]

  package static func text(_ random: inout SplitMix) -> SeedValue { .text(random.pick(texts)) }

  package static func integer(_ random: inout SplitMix) -> SeedValue { .integer(random.pick(integers)) }

  package static func real(_ random: inout SplitMix) -> SeedValue { .real(random.pick(reals)) }

  package static func blob(_ random: inout SplitMix) -> SeedValue {
    .blob((0..<random.pick([0, 1, 2, 3, 300])).map { _ in UInt8.random(in: 0...255, using: &random) })
  }

  package static func any(_ random: inout SplitMix) -> SeedValue {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: .null
    case 1: text(&random)
    case 2: integer(&random)
    case 3: real(&random)
    default: blob(&random)
    }
  }

  /// A different value that SQL, a collation or a careless comparison considers equal.
  package static func sibling(of value: SeedValue, _ random: inout SplitMix) -> SeedValue {
    switch value {
    case .null: .text("")
    case .integer(let number):
      Int64(exactly: Double(number)) == number ? .real(Double(number)) : .integer(number ^ 1)
    case .real(let number) where number == 0: .real(-number)
    case .real(let number): Int64(exactly: number).map { .integer($0) } ?? .real(number.nextUp)
    case .text(let text):
      .text(
        random.pick([
          text.uppercased(), text.lowercased(), text + " ", text + "\u{0}",
          text.replacing("é", with: "e\u{301}"),
        ]))
    case .blob(let bytes): String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .blob(bytes + [0])
    }
  }
}
