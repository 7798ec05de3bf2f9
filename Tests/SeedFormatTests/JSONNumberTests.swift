import SeedFormat
import Support
import Testing

/// RFC 8259, section 6.
@Suite struct JSONNumberTests {
  private static func event(_ text: String) -> JSONEvent? { expectRead(text).first }

  // MARK: Grammar

  @Test func `every form of the number grammar is read`() {
    for integer in ["0", "-0", "1", "-1", "9", "10", "-10", "1234567890"] {
      for fraction in ["", ".0", ".5", ".00", ".123", ".10"] {
        for exponent in ["", "e0", "E0", "e+1", "e-1", "E+10", "E-10", "e00", "e-007"] {
          expectRead(integer + fraction + exponent)
        }
      }
    }
  }

  @Test func `other number forms are rejected`() {
    for text in [
      "01", "-01", "00", "00.5", "+1", ".5", "-.5", "1.", "-1.", "1.e1", "1e", "1e+", "1e-", "1E", "-", "--1",
      "- 1",
      "1..2", "1.2.3", "1e1.5", "1e1e1", "1e+-1", "0x1", "0b1", "0o7", "1_000", "1,5", "1f", "1d", "１", "-a",
      "inf", "1e5x", "0e", "-e1", "1-1", "1+1", "½",
    ] {
      expectRefused(text)
      if text != "1,5" { expectRefused("[\(text)]") }
      expectRefused(#"{"a":\#(text)}"#)
    }
  }

  @Test func `the error is at the missing digit`() {
    for (text, offset) in [("[-]", 2), ("[1.]", 3), ("[1.x]", 3), ("[1e+]", 4)] {
      expectRefused(text, at: offset, "expected a digit")
    }
    expectRefused("[01]", at: 2, "expected a comma or the end of the array")
  }

  // MARK: Integers

  @Test func `integers are read exactly up to the bounds of 64 bits`() {
    for value: Int64 in [
      0, 1, -1, .max, .max - 1, .min, .min + 1, 1 << 53, (1 << 53) + 1, -(1 << 53) - 1,
      999_999_999_999_999_999,
      1_000_000_000_000_000_000, 9_223_372_036_854_775_799, -9_223_372_036_854_775_799,
    ] {
      #expect(expectRead("[\(value)]").dropFirst().first == .token(.integer(value)))
      #expect(Self.event("\(value)") == .token(.integer(value)))
    }
    #expect(Self.event("-0") == .token(.integer(0)))
  }

  @Test func `integers beyond 64 bits are text on the tape and an error as tokens`() {
    for text in [
      "9223372036854775808", "-9223372036854775809", "9223372036854775810", "18446744073709551615",
      "18446744073709551616", "18446744073709551617", "99999999999999999999", "-18446744073709551616",
      "100000000000000000000", String(repeating: "9", count: 400), "-1" + String(repeating: "0", count: 40),
    ] {
      expectBeyond(text)
    }
  }

  // MARK: Doubles

  @Test func `doubles beyond the range are text on the tape and an error as tokens`() {
    for text in [
      "1e400", "-1e400", "1e309", "1.7976931348623159e308", "179769313486231580793e289", "0.1e310",
      "1e99999999999",
      "1e18446744073709551616", "-12345678901234567890123e300",
      "1" + String(repeating: "0", count: 310) + ".0",
    ] {
      expectBeyond(text)
    }
  }

  private func expectBeyond(_ text: String) {
    #expect([Self.event(text), expectRead("[0,\(text),1]")[2]] == [.beyond(text), .beyond(text)])
    expectRead(#"{"a":\#(text),"b":"\u0061"}"#)
    let error = JSONReading(tokensOf: Array("[\(text)]".utf8)).error
    #expect(error == JSONError(at: 1, "a number beyond 64 bits or beyond the range of a double"))
  }

  @Test func `a number of many digits is read in pieces`() {
    let digits = String(repeating: "7", count: 200_000)
    for (text, event) in [
      (digits, .beyond(digits)), ("0." + digits, .real(bits: (7.0 / 9).bitPattern)),
      (digits + "e-199999", .real(bits: (70.0 / 9).bitPattern)),
    ] as [(String, JSONEvent)] {
      let cuts = stride(from: 1000, to: text.utf8.count, by: 10_000)
      let readings = [
        JSONReading(valueOf: Array(text.utf8)), JSONReading(valueOf: Array(text.utf8), cuts: cuts),
      ]
      #expect(readings.map(\.events) == [[event], [event]])
    }
  }

  @Test func `a number smaller than every double is zero`() {
    for text in [
      "0.0", "0e0", "1e-400", "0.1e-400", "2e-324", "1e-99999999999", "0e400", "0.0e99999999999", "0e-400",
    ] {
      #expect(Self.event(text) == .real(bits: 0))
      #expect(Self.event("-" + text) == .real(bits: (-0.0).bitPattern))
    }
  }

  @Test func `hard doubles are read exactly`() {
    for (text, value) in [
      ("1.0", 1), ("1e0", 1), ("10e-1", 1), ("0.1", 0.1), ("1e22", 1e22), ("1e23", 1e23), ("1e-22", 1e-22),
      ("9007199254740993.0", 9_007_199_254_740_992), ("9007199254740993.00000000001", 9_007_199_254_740_994),
      ("9007199254740995.0", 9_007_199_254_740_996), ("1.7976931348623157e308", .greatestFiniteMagnitude),
      ("1.7976931348623158e308", .greatestFiniteMagnitude),
      ("2.2250738585072014e-308", .leastNormalMagnitude),
      ("2.2250738585072011e-308", .leastNormalMagnitude.nextDown), ("5e-324", .leastNonzeroMagnitude),
      ("2.5e-324", .leastNonzeroMagnitude), ("2.4703282292062328e-324", .leastNonzeroMagnitude),
      ("2.4703282292062327e-324", 0), ("18446744073709551616.0", 0x1p64), ("9223372036854775808.0", 0x1p63),
      ("0.000000000000000000000000000001", 1e-30), ("100000000000000000000000000000.0", 1e29),
      ("1" + String(repeating: "0", count: 308) + "e0", 1e308),
      ("0." + String(repeating: "0", count: 307) + "1", 1e-308),
      ("1" + String(repeating: "0", count: 700) + "e-700", 1),
      ("0." + String(repeating: "0", count: 699) + "1e700", 1),
      ("1e0000000000000000000000000000000000001", 10), ("0.3", 0.3), ("2.5", 2.5),
      ("123456789012345678e-5", 1_234_567_890_123.45678),
    ] as [(String, Double)] {
      let events = [Self.event(text), Self.event("-" + text)]
      #expect(events == [.real(bits: value.bitPattern), .real(bits: (-value).bitPattern)], "\(text)")
    }
  }

  @Test func `a number halfway between two doubles is rounded to even`() {
    var random = SplitMix(seed: 754)
    for _ in 0..<Self.rounds {
      // 53 bits, then a one bit and up to ten zero bits: any further digit decides.
      let significand = UInt64.random(in: 1 << 52..<1 << 53, using: &random)
      let shift = UInt64.random(in: 0...10, using: &random)
      let halfway = (significand << 1 | 1) << shift
      let (below, above) = (Double(significand << (shift + 1)), Double(significand << (shift + 1)).nextUp)
      let even = significand % 2 == 0 ? below : above
      expect("\(halfway).0", even)
      expect("\(halfway).000000000000000000000000001", above)
      expect("\(halfway - 1).9999999999999999999", below)
      expect("\(halfway)e0", even)
      expect("0.\(halfway)e\("\(halfway)".utf8.count)", even)
    }
  }

  @Test func `random numbers match the standard library`() throws {
    var random = SplitMix(seed: 1985)
    for _ in 0..<Self.rounds {
      let integer =
        Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<63, using: &random)
      expect("\(integer)", .token(.integer(integer)))
      for _ in 0..<5 {
        let text = Self.number(&random)
        let value = try #require(Double(text), "\(text) is not a number")
        if value.isFinite { expect(text, value) } else { expect(text, .beyond(text)) }
      }
    }
  }

  @Test func `random bits are written and read back the same`() {
    var random = SplitMix(seed: 1990)
    for _ in 0..<Self.rounds {
      let bits = random.next()
      for value in [bits, bits & 0x800F_FFFF_FFFF_FFFF].map(Double.init(bitPattern:)) where value.isFinite {
        expect(JSONValue.real(value).text, value)
      }
    }
  }

  private static let rounds = Stage.pick(quick: 2_000, full: 20_000, deep: 20_000)

  private func expect(_ text: String, _ value: Double) { expect(text, .real(bits: value.bitPattern)) }

  private func expect(_ text: String, _ event: JSONEvent) {
    let events = JSONReading(valueOf: Array(text.utf8)).events
    if events != [event] { Issue.record("\(text) is read as \(events)") }
  }

  /// A number with a fraction or an exponent: short ones, up to 40 digits, near zero and near infinity.
  private static func number(_ random: inout SplitMix) -> String {
    let digits = random.pick([1, 2, 5, 9, 15, 16, 17, 18, 19, 20, 21, 30, 40])
    var text = random.chance(50) ? "-" : ""
    text +=
      random.chance(20) ? "0" : "\(Int.random(in: 1...9, using: &random))" + Self.digits(digits / 2, &random)
    text += "." + Self.digits(max(1, digits - digits / 2), &random)
    guard random.chance(70) else { return text }
    let range = random.pick([-5...5, -25...25, -340 ... -290, 290...320, -400...400])
    return text + random.pick(["e", "E"]) + "\(Int.random(in: range, using: &random))"
  }

  private static func digits(_ count: Int, _ random: inout SplitMix) -> String {
    String((0..<count).map { _ in random.pick(Array("0123456789")) })
  }
}
