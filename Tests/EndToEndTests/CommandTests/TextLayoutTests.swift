import Support
import Testing

@testable import seedbank

@Suite struct TextLayoutTests {
  @Test(arguments: [
    ("short", "short"), ("", ""), ("12345678901234567890", "12345678901234567890"),
    ("one two three four five six", "one two three four\n  five six"),
    ("  a: one two three four five six", "  a: one two three\n    four five six"),
    ("one\n\ntwo three four five six", "one\n\ntwo three four five\n  six"),
    ("a 123456789012345678901234567890 b", "a\n  123456789012345678901234567890\n  b"),
    ("ééééé ééééé ééééé", "ééééé\n  ééééé\n  ééééé"),
  ])
  func `a line that is too long continues on the next line, indented`(_ text: String, _ fitted: String) {
    #expect(TextLayout.fitted(text, to: 20) == fitted)
  }

  @Test(arguments: [
    ("please try it: run 'seedbank prune'.", "please try it: run\n  'seedbank prune'."),
    ("run 'seedbank regenerate --resume' now", "run\n  'seedbank regenerate --resume'\n  now"),
    ("it is the rows' own 'name' that is odd", "it is the rows' own\n  'name' that is odd"),
    ("the 'open one is no quotation of ours", "the 'open one is no\n  quotation of ours"),
  ])
  func `a quoted command stays on one line`(_ text: String, _ fitted: String) {
    #expect(TextLayout.fitted(text, to: 20) == fitted)
  }
}
