import SeedPublication
import SeedSystem

/// Logs each problem once instead of once per request.
final class OperatorLog: Sendable {
  private static let messages = 64

  private let write: @Sendable (LogRecord) -> Void
  private let said = Mutex<Set<String>>([])
  private let troubles = Mutex(Troubles<FrontTrouble>())
  private let now: @Sendable () -> ContinuousClock.Instant

  init(
    now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now },
    _ write: @escaping @Sendable (LogRecord) -> Void
  ) {
    (self.now, self.write) = (now, write)
  }

  func callAsFunction(_ message: String) {
    let isNew = said.withLock { $0.count < Self.messages && $0.insert(message).inserted }
    if isNew { write(LogRecord(.warning, message)) }
  }

  func reset() { said.withLock { $0.removeAll() } }

  /// Logs the end of a trouble with its duration.
  func follow(_ trouble: FrontTrouble, isOn: Bool) {
    let lasted = troubles.withLock { $0.follow(trouble, isOn: isOn, at: now()) }
    if let lasted { write(LogRecord(.notice, "\(trouble.end), after \(TimeSpan(lasted))")) }
  }
}

/// Temporary problems of a front.
enum FrontTrouble: Hashable, Sendable {
  case unreadable, filesMissing, signaturesExpired, late

  fileprivate var end: String {
    switch self {
    case .unreadable: "The publication can be loaded again"
    case .filesMissing: "All published files are there again"
    case .signaturesExpired: "The signatures are valid again"
    case .late: "The publication that is followed answers again"
    }
  }
}
