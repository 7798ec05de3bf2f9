import SeedFormat
import Support
import Testing

@Suite struct PrintableTests {
  @Test(arguments: [
    ("a\u{1B}[2J", #"a\u{1B}[2J"#), ("\u{61C}1", #"\u{61C}1"#), ("\u{202E}cod.exe", #"\u{202E}cod.exe"#),
    ("Zürich, 東京 🦊", "Zürich, 東京 🦊"),
  ])
  func `controls and marks that reorder a line are escaped`(_ text: String, _ printable: String) {
    #expect(text.printable == printable)
  }
}
