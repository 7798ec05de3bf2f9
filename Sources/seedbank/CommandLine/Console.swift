import SeedFormat
import SeedFront
import SeedPublication
import SeedSystem
import SeedTrust

/// A command's output: results to stdout, messages or log lines to stderr, with terminal controls escaped. Progress
/// appears only on terminals.
final class Console: Sendable {
  let showsProgress: Bool
  private let state = Mutex(State())

  private struct State {
    var isLineOpen = false
    var log: (format: LogFormat, level: LogLevel)?
    var asksForJSON = false
    var hasLostReader = false
  }

  init(environment: [String: String]) {
    showsProgress = StandardStream.messages.isTerminal && environment["TERM"] != "dumb"
  }

  func result(_ text: String) throws { try result(Array("\(Self.harmless(text))\n".utf8)) }

  /// Prints bytes unchanged, for another program.
  func result(_ bytes: [UInt8]) throws {
    closeLine()
    if try !StandardStream.results.writeAll(bytes) { state.withLock { $0.hasLostReader = true } }
  }

  /// Whether a write found that stdout was closed. Most commands continue, because they do more than print results.
  var isUnread: Bool { state.withLock(\.hasLostReader) }

  func result(_ json: JSONValue) throws { try result(Array("\(json.text.escapingControlsInJSON)\n".utf8)) }

  func report(_ json: @autoclosure () -> JSONValue, _ text: @autoclosure () -> String) throws {
    if isJSON { try result(json()) } else { try result(text()) }
  }

  var isJSON: Bool { state.withLock(\.asksForJSON) }

  func startJSON() { state.withLock { $0.asksForJSON = true } }

  /// From now on, messages are log lines, and those below `level` are dropped.
  func startLog(_ format: LogFormat, from level: LogLevel) { state.withLock { $0.log = (format, level) } }

  func log(_ record: LogRecord) {
    guard let (format, level) = state.withLock(\.log) else { return show(record) }
    guard record.level >= level else { return }
    let line = format.line(record, at: .now())
    closeLine()
    say("\(format == .json ? line.escapingControlsInJSON : Self.harmless(line))\n")
  }

  func note(_ text: String) { log(LogRecord(.info, text)) }

  func warning(_ text: String) { log(LogRecord(.warning, text)) }

  func error(_ text: String) { log(LogRecord(.error, text)) }

  private func show(_ record: LogRecord) {
    guard record.level > .debug else { return }
    let prefix = record.level == .warning ? "Warning: " : record.level == .error ? "Error: " : ""
    closeLine()
    say("\(Self.harmless(prefix + record.message))\n")
  }

  /// Replaces the previous progress line. Truncates the text, because a second row would never be erased.
  func progress(_ text: String) {
    guard showsProgress else { return }
    state.withLock { $0.isLineOpen = true }
    let columns = StandardStream.messages.columns ?? TextLayout.usualWidth
    // After the last column, the cursor may already be in the next row.
    say("\(Self.eraseLine)\(text.printable.cut(toColumns: columns - 1))")
  }

  /// Shows the progress of a transfer or an import in one line. `total` is nil if unknown. If `rows` is
  /// given, it replaces the size.
  func progress(_ what: String, _ bytes: Int, of total: Int?, rows: Int? = nil) {
    guard showsProgress else { return }
    let share = total.map { "\($0 > 0 ? min(100, bytes * 100 / $0) : 100) %" }
    let amount =
      rows.map { "\($0.grouped) rows" }
      ?? total.map { "\(ByteCount(bytes: bytes)) of \(ByteCount(bytes: $0))" }
    progress("\(what): \([share, amount].compactMap(\.self).joined(separator: ", "))")
  }

  private func closeLine() {
    let wasOpen = state.withLock { state in
      defer { state.isLineOpen = false }
      return state.isLineOpen
    }
    if wasOpen { say(Self.eraseLine) }
  }

  private static let eraseLine = "\r\u{1B}[K"

  private static func harmless(_ text: String) -> String { text.escapingControls(except: ["\n", "\t"]) }

  private func say(_ text: String) { _ = try? StandardStream.messages.writeAll(Array(text.utf8)) }
}

enum StandardStream: Int32, Sendable {
  case results = 1
  case messages = 2

  var isTerminal: Bool { isatty(rawValue) == 1 }

  /// Nil if the stream is not a terminal, or if its width is unknown.
  var columns: Int? {
    var size = winsize()
    guard ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Writes all bytes. Returns false if the reader has closed the pipe, which is not a failure.
  func writeAll(_ bytes: [UInt8]) throws(Refusal) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(rawValue, $0.baseAddress, $0.count) }
      switch count < 0 ? errno : 0 {
      case 0: rest = rest.dropFirst(count)
      case EPIPE: return false
      case EINTR: continue
      case EAGAIN: waitUntilWritable()
      case let code:
        let name = self == .results ? "standard output" : "standard error"
        throw Refusal(.inputOutput, "Writing to \(name) failed: \(String(cString: strerror(code))).")
      }
    }
    return true
  }

  /// Some supervisors pass a non-blocking stream.
  private func waitUntilWritable() {
    var request = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
    _ = poll(&request, 1, -1)
  }
}

struct LogConfiguration: Hashable, Sendable {
  var format = LogFormat.text
  var level = LogLevel.info
  var requests = RequestLog.none
}

enum TextLayout {
  /// The width of help pages, and of progress lines on terminals with unknown width.
  static let usualWidth = 80
  static let explanationColumn = 26

  /// Lines of at most `width` columns; a longer word gets its own line.
  static func wrap(_ text: String, indent: Int = 0) -> [String] {
    wrap(words: text.split { $0 == " " || $0 == "\n" }.map(String.init), indent: indent)
  }

  static func wrap(words: [String], indent: Int = 0, hanging: Int? = nil) -> [String] {
    var (lines, line) = ([String](), blank(indent) + (words.first ?? ""))
    for word in words.dropFirst() {
      if line.columns + 1 + word.columns > usualWidth {
        lines.append(line)
        line = blank(hanging ?? indent) + word
      } else {
        line += " \(word)"
      }
    }
    return lines + [line]
  }

  static func paragraphs(_ text: String) -> [String] {
    let paragraphs = text.split(separator: "\n\n").map { wrap(String($0)) }
    return Array(paragraphs.joined(separator: [""]))
  }

  static func entry(_ name: String, _ explanation: String) -> [String] {
    let head = "  \(name)"
    let lines = wrap(explanation, indent: explanationColumn)
    // At least two spaces, because help2man finds the explanation by them.
    guard head.count + 1 < explanationColumn, let first = lines.first else { return [head] + lines }
    return [head + first.dropFirst(head.count)] + lines.dropFirst()
  }

  private static func blank(_ count: Int) -> String { String(repeating: " ", count: count) }
}
