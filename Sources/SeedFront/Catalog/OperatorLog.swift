import SeedPublication
import SeedSystem

/// Logs each problem once instead of once per request.
final class OperatorLog: Sendable {
  private static let messages = 64

  private let write: @Sendable (LogRecord) -> Void
  private let said = Mutex<Set<String>>([])
  /// The start of each ongoing trouble, by a monotonic clock because the wall clock may be set.
  private let began = Mutex<[FrontTrouble: ContinuousClock.Instant]>([:])
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

  func follow(_ trouble: FrontTrouble, isOn: Bool) {
    let lasted = began.withLock { began -> Duration? in
      guard isOn else { return began.removeValue(forKey: trouble).map { now() - $0 } }
      if began[trouble] == nil { began[trouble] = now() }
      return nil
    }
    if let lasted { write(LogRecord(.notice, "\(trouble.end), after \(TimeSpan(lasted))")) }
  }
}

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
