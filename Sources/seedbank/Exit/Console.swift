import SeedFormat
import Synchronization

/// Where a command speaks: results to stdout, everything else to stderr.
///
/// What could command a terminal is escaped in all that passes. There is no colour, so `NO_COLOR` is honoured
/// by construction; progress is shown only where stderr is a terminal that can rewrite a line.
final class Console: Sendable {
  /// Takes bytes to one of the two streams.
  typealias Sink = @Sendable (StandardStream, [UInt8]) throws -> Void

  private let showsProgress: Bool
  private let sink: Sink
  private let isLineOpen = Mutex(false)

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

  /// The result as one line of JSON.
  func result(_ json: JSONValue) throws {
    closeLine()
    try sink(.results, Array("\(json.text.escapingControlsInJSON)\n".utf8))
  }

  /// A line beside the result.
  func note(_ text: String) {
    closeLine()
    say("\(Self.harmless(text))\n")
  }

  /// A line about something that the operator should look at.
  func warning(_ text: String) { note("Warning: \(text)") }

  /// The reason why the command ends.
  func error(_ text: String) { note("Error: \(text)") }

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
