import SeedFormat
import SeedServer
import SeedSystem
import SeedTrust

/// Where a command speaks: results to stdout, everything else to stderr.
///
/// What goes to stderr is meant for a person until ``startLog(_:)``; from then on each message is one line of a
/// log, as the commands that run for long or under a timer write it.
///
/// What could command a terminal is escaped in all that passes. There is no colour, so `NO_COLOR` is honoured
/// by construction; progress is shown only where stderr is a terminal that can rewrite a line.
final class Console: Sendable {
  /// Takes bytes to one of the two streams.
  typealias Sink = @Sendable (StandardStream, [UInt8]) throws -> Void

  /// Whether someone watches on a terminal that can rewrite a line.
  let showsProgress: Bool
  private let sink: Sink
  private let isLineOpen = Mutex(false)
  private let log = Mutex<LogConfiguration?>(nil)

  init(showsProgress: Bool, sink: @escaping Sink) {
    self.showsProgress = showsProgress
    self.sink = sink
  }

  /// The process's own streams.
  static func standard(environment: [String: String]) -> Console {
    let isCapable = StandardStream.messages.isTerminal && environment["TERM"] != "dumb"
    return Console(showsProgress: isCapable) { stream, bytes in try stream.write(bytes) }
  }

  /// A line, or lines, of the result.
  func result(_ text: String) throws {
    closeLine()
    try sink(.results, Array("\(Self.harmless(text))\n".utf8))
  }

  /// The result as it is, for another program.
  func result(_ bytes: [UInt8]) throws {
    closeLine()
    try sink(.results, bytes)
  }

  /// The result as one line of JSON.
  func result(_ json: JSONValue) throws {
    closeLine()
    try sink(.results, Array("\(json.text.escapingControlsInJSON)\n".utf8))
  }

  /// From here on messages are lines of a log.
  func startLog(_ configuration: LogConfiguration) { log.withLock { $0 = configuration } }

  /// A message with what a program wants to know of it.
  func tell(_ record: LogRecord) {
    guard let log = log.withLock(\.self) else { return tellPerson(record) }
    guard record.level >= log.level else { return }
    let line = log.format.line(record, at: .now())
    closeLine()
    say("\(log.format == .json ? line.escapingControlsInJSON : Self.harmless(line))\n")
  }

  /// A line beside the result.
  func note(_ text: String) { tell(LogRecord(.info, text)) }

  /// A line about something that the operator should look at.
  func warning(_ text: String) { tell(LogRecord(.warning, text)) }

  /// The reason why the command ends.
  func error(_ text: String) { tell(LogRecord(.error, text)) }

  private func tellPerson(_ record: LogRecord) {
    guard record.level > .debug else { return }
    let prefix = record.level == .warning ? "Warning: " : record.level == .error ? "Error: " : ""
    closeLine()
    say("\(Self.harmless(prefix + record.message))\n")
  }

  /// Replaces the line of progress. Nothing is said where no one watches.
  func progress(_ text: String) {
    guard showsProgress else { return }
    isLineOpen.withLock { $0 = true }
    say("\(Self.eraseLine)\(text.printable)")
  }

  private func closeLine() {
    let wasOpen = isLineOpen.withLock { isOpen in
      defer { isOpen = false }
      return isOpen
    }
    if wasOpen { say(Self.eraseLine) }
  }

  private static let eraseLine = "\r\u{1B}[K"

  private static func harmless(_ text: String) -> String {
    text.escapingControls(except: ["\n", "\t"])
  }

  /// Where stderr itself fails there is no one left to tell.
  private func say(_ text: String) { try? sink(.messages, Array(text.utf8)) }
}
