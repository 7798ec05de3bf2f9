import SeedFormat
import SeedPublication
import SeedSystem
import Support
import Testing

@testable import seedbank

final class RecordedConsole: Sendable {
  private let texts = Mutex<[StandardStream: String]>([:])
  let showsProgress: Bool

  init(showsProgress: Bool = false) { self.showsProgress = showsProgress }

  var console: Console {
    Console(showsProgress: showsProgress) { [self] stream, bytes in take(stream, bytes) }
  }

  func take(_ stream: StandardStream, _ bytes: [UInt8]) {
    texts.withLock { $0[stream, default: ""] += String(decoding: bytes, as: UTF8.self) }
  }

  var results: String { texts.withLock { $0[.results] ?? "" } }
  var messages: String { texts.withLock { $0[.messages] ?? "" } }
}

@Suite struct ConsoleTests {
  @Test func `results and messages never mix`() throws {
    let record = RecordedConsole()
    let console = record.console
    try console.result("42")
    console.note("working")
    console.warning("odd")
    console.error("bad")
    #expect(record.results == "42\n")
    #expect(record.messages == "working\nWarning: odd\nError: bad\n")
  }

  @Test func `words of state are coloured at the start of a line or on a line of their own`() {
    let marked = StateColor.marked(
      "Error: a\nwarning: error: b\nan error: c\nnot sound\nsound as ever\nok: d")
    #expect(
      marked == "\u{1B}[31mError\u{1B}[0m: a\n\u{1B}[33mwarning\u{1B}[0m: error: b\nan error: c\n"
        + "\u{1B}[31mnot sound\u{1B}[0m\nsound as ever\n\u{1B}[32mok\u{1B}[0m: d")
  }

  @Test(arguments: [
    ([:], true), (["NO_COLOR": ""], true), (["NO_COLOR": "0"], false), (["TERM": "dumb"], false),
    (["TERM": "xterm-256color"], true),
  ])
  func `NO_COLOR and dumb terminals disable colours`(_ environment: [String: String], _ areWanted: Bool) {
    #expect(StateColor.areWanted(environment) == areWanted)
  }

  @Test func `control characters are escaped`() throws {
    let record = RecordedConsole()
    try record.console.result("a\u{1B}]0;x\u{7}\r\u{9B}2J\tb\nc\u{202E}")
    #expect(record.results == "a\\u{1B}]0;x\\u{7}\\u{D}\\u{9B}2J\tb\nc\\u{202E}\n")
  }

  @Test func `escaped JSON parses to the same value`() throws {
    let record = RecordedConsole()
    let value: JSONValue = ["a": "\u{1B}\u{7F}\u{9B}\u{2028}é\u{1F331}"]
    try record.console.result(value)
    #expect(try JSONValue(parsing: Array(record.results.utf8)) == value)
    #expect(
      record.results.unicodeScalars.allSatisfy {
        $0 == "\n" || !(0..<0x20 ~= $0.value || 0x7F...0x9F ~= $0.value)
      })
  }

  @Test func `progress is silent without a terminal`() {
    let record = RecordedConsole()
    record.console.progress("50 %")
    #expect(record.messages.isEmpty)
  }

  @Test func `a message replaces the progress line`() {
    let record = RecordedConsole(showsProgress: true)
    let console = record.console
    console.progress("50 %")
    console.note("done")
    console.note("bye")
    #expect(record.messages == "\r\u{1B}[K50 %\r\u{1B}[Kdone\nbye\n")
  }

  @Test func `progress is cut at the terminal's width, also after a resize`() {
    let record = RecordedConsole()
    let columns = Mutex(11)
    let console = Console(showsProgress: true, columns: { _ in columns.withLock(\.self) }) { stream, bytes in
      record.take(stream, bytes)
    }
    console.progress("0123456789ab")
    columns.withLock { $0 = 6 }
    console.progress("0123456789ab")
    console.progress("é2é4")
    #expect(record.messages == ["0123456789", "01234", "é2é"].map { "\r\u{1B}[K\($0)" }.joined())
  }

  @Test func `warnings and reports are wrapped on a terminal and stay on one line elsewhere`() throws {
    let text = String(repeating: "word ", count: 30) + "end"
    let (wide, narrow) = (RecordedConsole(), RecordedConsole())
    let terminal = Console(showsProgress: false, columns: { $0 == .messages ? 40 : 60 }) { stream, bytes in
      narrow.take(stream, bytes)
    }
    for console in [wide.console, terminal] {
      console.warning(text)
      try console.report(text)
      try console.result(text)
    }
    #expect(wide.messages == "Warning: \(text)\n" && wide.results == "\(text)\n\(text)\n")
    let lines = narrow.messages.split(separator: "\n")
    #expect(lines.count == 5 && lines.allSatisfy { $0.count <= 40 })
    let results = narrow.results.split(separator: "\n")
    #expect(results.dropLast().allSatisfy { $0.count <= 60 })
    #expect(results.last.map(String.init) == text, "a result stays as it is")
    terminal.startLog(.text, from: .info)
    terminal.warning(text)
    #expect(narrow.messages.split(separator: "\n").count == 6, "a log's record is one line")
  }

  @Test func `a long text in a message is cut`() {
    #expect(String(repeating: "x", count: 81).clipped == String(repeating: "x", count: 80) + "…")
    #expect("a\nb".clipped == "a\\u{A}b")
  }

  @Test func `the exit codes are the documented ones`() {
    #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 2, 64, 65, 69, 74, 75, 78])
  }

  private struct Surprise: Error, CustomStringConvertible { let description = "something else" }

  @Test func `each error has its own exit code, and unknown errors have 1`() {
    #expect(FailureReport(CommandFailure(.locked, "held")).exitCode == .locked)
    #expect(FailureReport(ConfigurationError("f", "odd")).exitCode == .configuration)
    let unknown = FailureReport(Surprise())
    #expect(unknown.exitCode == .failure)
    #expect(unknown.message == "something else")
  }

  @Test func `a run reports its failure and returns the code`() async {
    let record = RecordedConsole()
    let context = Context(environment: [:], currentDirectory: "/", console: record.console)
    #expect(await Program.run(["version", "x"], in: context) == .usage)
    #expect(await Program.run(["version"], in: context) == .success)
    #expect(record.results == "seedbank \(Release.version)\n")
    #expect(record.messages.hasPrefix("Error: Unexpected argument 'x'."))
  }
}
