import SeedFormat
import Support
import Testing

/// RFC 8259, sections 7 and 8.1.
@Suite struct JSONStringTests {
  private static func quoted(_ bytes: [UInt8]) -> [UInt8] { [0x22] + bytes + [0x22] }

  private static func text(_ document: String) -> String? {
    guard case .token(.string(let text))? = expectRead(document).first else { return nil }
    return text
  }

  // MARK: Escapes

  @Test func `each escape yields its character`() {
    for (escape, character) in [
      (#"\""#, "\""), (#"\\"#, "\\"), (#"\/"#, "/"), (#"\b"#, "\u{8}"), (#"\f"#, "\u{C}"), (#"\n"#, "\n"),
      (#"\r"#, "\r"), (#"\t"#, "\t"), (#"\u0000"#, "\0"), (#"\u001F"#, "\u{1F}"), (#"\u0022"#, "\""),
      (#"\u005c"#, "\\"), (#"\u00e9"#, "é"), (#"\u00E9"#, "é"), (#"\u07FF"#, "\u{7FF}"),
      (#"\u0800"#, "\u{800}"),
      (#"\uD7FF"#, "\u{D7FF}"), (#"\uE000"#, "\u{E000}"), (#"\uFFFF"#, "\u{FFFF}"), (#"\ufeff"#, "\u{FEFF}"),
      (#"\uD800\uDC00"#, "\u{10000}"), (#"\ud83d\uDE00"#, "\u{1F600}"), (#"\uDBFF\uDFFF"#, "\u{10FFFF}"),
      (#"\u0041\u0042"#, "AB"), (#"\\u0041"#, "\\u0041"), (#"\\\""#, "\\\""),
    ] {
      for (before, after) in [("", ""), ("12345678", "abc"), ("é", "é"), ("1234567", "12345678")] {
        #expect(Self.text("\"\(before)\(escape)\(after)\"") == before + character + after)
      }
    }
  }

  @Test func `unknown escapes are rejected`() {
    for byte in UInt8.min...UInt8.max where !Array(#""\/bfnrtu"#.utf8).contains(byte) {
      expectRefused(Self.quoted([0x5C, byte]))
      expectRefused(Self.quoted([0x61, 0x5C, byte, 0x61]))
    }
    expectRefused(#""a\x""#, at: 3, "unknown escape")
  }

  @Test func `a Unicode escape has four hexadecimal digits`() {
    for escape in [
      #"\u"#, #"\u1"#, #"\u12"#, #"\u123"#, #"\u123g"#, #"\u 123"#, #"\u+123"#, #"\u0x12"#, #"\U0041"#,
      #"\u{41}"#, #"\u123/"#, #"\u123:"#, #"\u123@"#, #"\u123`"#, #"\u１２３４"#,
    ] {
      expectRefused("\"\(escape)\"")
      expectRefused("[\"\(escape)\",\"1234\"]")
    }
  }

  @Test func `lone surrogates are rejected`() {
    let reason = "not a Unicode escape, or a lone surrogate"
    for escape in [
      #"\uD800"#, #"\uDBFF"#, #"\uDC00"#, #"\uDFFF"#, #"\uD800\uD800"#, #"\uDC00\uD800"#, #"\uD800\u0041"#,
      #"\uD800 \uDC00"#, #"\uD800\\uDC00"#, #"\uD800\n"#, #"\uD800\uDBFF"#, #"\uD800\uE000"#, #"\uD800\u"#,
      #"\uD800\uDC0"#,
    ] {
      expectRefused("\"\(escape)\"", at: 1, reason)
      expectRefused("[\"ab\(escape)xy\"]", at: 4, reason)
    }
    expectRefused(#""\uD83D\uDE00\uDE00""#, at: 13, reason)
  }

  // MARK: Plain characters

  @Test func `control characters are rejected at any offset`() {
    for byte: UInt8 in 0..<0x20 {
      for length in [0, 1, 6, 7, 8, 9, 15, 16] {
        let before = [UInt8](repeating: 0x61, count: length)
        expectRefused(Self.quoted(before + [byte]), at: length + 1, "control character in a string")
      }
    }
  }

  @Test func `every other ASCII character is read unchanged`() {
    for byte: UInt8 in 0x20...0x7F where byte != 0x22 && byte != 0x5C {
      for length in [0, 7, 8] {
        let content = [UInt8](repeating: 0x61, count: length) + [byte]
        let expected = String(decoding: content, as: UTF8.self)
        #expect(expectRead(Self.quoted(content)) == [.token(.string(expected))])
      }
    }
  }

  @Test func `strings of all lengths end correctly`() {
    for length in 0...40 {
      let content = String(repeating: "a", count: length)
      #expect(Self.text("\"\(content)\"") == content)
      expectRefused("\"\(content)", at: 0, "the document ends too early")
      expectRefused("\"\(content)\\\"", at: 0, "the document ends too early")
    }
  }

  // MARK: UTF-8

  @Test func `the first and last characters of each UTF-8 length are read`() {
    for scalar: Unicode.Scalar in [
      "\u{7F}", "\u{80}", "\u{7FF}", "\u{800}", "\u{FFF}", "\u{1000}", "\u{CFFF}", "\u{D000}", "\u{D7FF}",
      "\u{E000}", "\u{FEFF}", "\u{FFFD}", "\u{FFFE}", "\u{FFFF}", "\u{10000}", "\u{3FFFF}", "\u{40000}",
      "\u{FFFFF}", "\u{100000}", "\u{10FFFF}",
    ] {
      for length in [0, 5, 6, 7, 8] {
        let text = String(repeating: "a", count: length) + String(scalar) + "z"
        #expect(Self.text("\"\(text)\"") == text)
      }
    }
  }

  @Test func `invalid UTF-8 is rejected at its first byte`() {
    for sequence in Self.notUTF8 {
      for before in [[], [UInt8](repeating: 0x61, count: 7), Array("é\\n".utf8)] {
        expectRefused(
          Self.quoted(before + sequence), at: before.count + 1, "a string that is not valid UTF-8")
      }
    }
  }

  /// Stray continuations, overlong forms, surrogates, beyond U+10FFFF, and truncated sequences.
  private static let notUTF8: [[UInt8]] = [
    [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xC2, 0xC2], [0xDF, 0x7F],
    [0xDF, 0xC0],
    [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xE0, 0xA0], [0xE1, 0x80], [0xE1, 0x80, 0x41],
    [0xE1, 0x7F, 0x80],
    [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xEF, 0xBF], [0xEF, 0xBF, 0xC0], [0xF0, 0x80, 0x80, 0x80],
    [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x90, 0x80], [0xF1, 0x80, 0x80, 0x41], [0xF4, 0x90, 0x80, 0x80],
    [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF],
  ]

  @Test func `bytes are UTF-8 exactly if the standard library accepts them`() {
    var random = SplitMix(seed: 8259)
    let leads: [UInt8] = [
      0x61, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF3, 0xF4,
    ]
    let pairs: [[UInt8]] = (0x80...0xFF).flatMap { (first: UInt8) in
      (leads + [0xC0, 0xC1, 0xF5, 0xFF]).map { [first, $0] }
    }
    let more = (0..<Stage.pick(quick: 3_000, full: 20_000, deep: 20_000)).map { _ in
      (0..<Int.random(in: 1...6, using: &random)).map { _ in random.pick(leads) }
    }
    for bytes in pairs + more {
      let reading = JSONReading(
        valueOf: Self.quoted(bytes), cuts: [Int.random(in: 0...bytes.count, using: &random)])
      let isValid = String(validating: bytes, as: UTF8.self) != nil
      if (reading.error == nil) != isValid { Issue.record("\(bytes): \(reading)") }
    }
  }
}
