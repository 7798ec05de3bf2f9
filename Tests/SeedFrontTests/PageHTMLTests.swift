import SeedSystem
import Support
import Testing

@testable import SeedFront

@Suite struct PageHTMLTests {
  private static let letters: [Unicode.Scalar] = Array(
    "<>&\"'/=- abc;#39ampltgquo\u{0}\u{1}\u{7F}\n\t\u{202E}\u{2066}\u{2069}é漢🦊\u{301}".unicodeScalars)

  private func text(_ html: HTML) -> String { String(decoding: html.bytes, as: UTF8.self) }

  /// The text that a browser reads from escaped text. Supports only the five escapes.
  private func read(_ escaped: String) -> String {
    let escapes = ["&lt;": "<", "&gt;": ">", "&quot;": "\"", "&#39;": "'", "&amp;": "&"]
    var (rest, found) = (escaped[...], "")
    while let first = rest.unicodeScalars.first {
      if let escape = escapes.first(where: { rest.utf8.starts(with: $0.key.utf8) }) {
        found += escape.value
        rest = Substring(rest.unicodeScalars.dropFirst(escape.key.unicodeScalars.count))
      } else {
        found.unicodeScalars.append(first)
        rest = Substring(rest.unicodeScalars.dropFirst())
      }
    }
    return found
  }

  @Test func `any text survives escaping and adds no markup`() {
    let seed = Stage.seed
    var random = SplitMix(seed: seed)
    for _ in 0..<2000 {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...40, using: &random) {
        text.append(Self.letters.randomElement(using: &random)!)
      }
      let escaped = self.text("\(String(text))")
      #expect(!escaped.contains { "<>\"'".contains($0) }, "seed \(seed): \(escaped.debugDescription)")
      let expected = String(String.UnicodeScalarView(text.map { Self.isShown($0) ? $0 : "\u{FFFD}" }))
      #expect(
        Array(read(escaped).unicodeScalars) == Array(expected.unicodeScalars),
        "seed \(seed): \(escaped.debugDescription)")
      let attribute = self.text("<a title=\"\(String(text))\">")
      #expect(attribute.filter { $0 == "\"" }.count <= 2 && attribute.utf8.count { $0 == 60 } == 1)
    }
  }

  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\n" || scalar == "\t" || (scalar.value >= 32 && scalar.value != 127)
  }

  @Test func `literals and nested HTML are not escaped`() {
    let piece: HTML = "<b>\("<i>")</b>"
    #expect(text(piece) == "<b>&lt;i&gt;</b>")
    #expect(
      text("<p>\(piece)\([piece, piece])\(nil as HTML?)\(7)</p>")
        == "<p>\(text(piece))\(text(piece))\(text(piece))7</p>")
  }

  @Test
  func `foreign text is isolated and truncated by scalars instead of characters`() {
    let long = String(repeating: "a", count: 10_000)
    #expect(text("\(foreign: long)") == "<bdi>\(String(repeating: "a", count: HTML.foreignScalars))…</bdi>")
    // Swift counts this as a single Character.
    let stacked = "e" + String(repeating: "\u{301}", count: 10_000)
    #expect(stacked.count == 1 && text("\(foreign: stacked)").unicodeScalars.count < HTML.foreignScalars + 20)
    #expect(text("\(foreign: "short")") == "<bdi>short</bdi>")
  }

  @Test(arguments: [
    (0, "0"), (7, "7"), (999, "999"), (1000, "1\u{202F}000"), (1_234_567, "1\u{202F}234\u{202F}567"),
    (-1000, "−1\u{202F}000"),
  ])
  func `numbers are grouped`(number: Int, expected: String) {
    #expect(HTML.grouped(number) == expected)
    #expect(text(.number(number)) == "<data value=\"\(number)\">\(expected)</data>")
  }

  @Test(arguments: [
    (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1.0 kB"), (1049, "1.0 kB"), (1050, "1.1 kB"),
    (999_949, "999.9 kB"), (999_950, "1.0 MB"), (1_000_000, "1.0 MB"), (1_550_000_000, "1.6 GB"),
    (7_000_000_000_000_000, "7000.0 TB"), (.max, "9223372.0 TB"),
  ])
  func `sizes have a suitable unit`(bytes: Int, expected: String) {
    #expect(HTML.sizeText(bytes) == expected.replacing(" ", with: "\u{A0}"))
  }

  @Test func `durations have a suitable unit`() {
    let found =
      [HTML.durationText(milliseconds: 42), HTML.durationText(milliseconds: 4_250)]
      + [HTML.durationText(milliseconds: 180_000), HTML.durationText(seconds: 2)]
      + [HTML.durationText(seconds: 600), HTML.durationText(seconds: 86_400), HTML.durationText(seconds: 90)]
    let expected = ["42 ms", "4.2 s", "3 minutes", "2 seconds", "10 minutes", "1 day", "90 seconds"]
    #expect(found == expected.map { $0.replacing(" ", with: "\u{A0}") })
    #expect(
      text(.time(UTCTime(secondsSinceEpoch: 0)))
        == "<time datetime=\"1970-01-01T00:00:00Z\">1970-01-01 00:00:00 UTC</time>")
  }
}
