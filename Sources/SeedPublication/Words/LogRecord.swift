package import SeedFormat
package import SeedSystem
import SeedTrust

package enum LogLevel: String, Hashable, Sendable, CaseIterable, Comparable {
  /// Nothing changed.
  case debug
  case info
  /// A change that an operator may want to know about.
  case notice
  case warning
  case error

  package static func < (left: Self, right: Self) -> Bool {
    (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
  }
}

package struct LogRecord: Hashable, Sendable {
  package let level: LogLevel
  package let message: String
  /// Details for programs, by name.
  package let fields: [JSONMember]

  package init(_ level: LogLevel, _ message: String, _ fields: [JSONMember] = []) {
    (self.level, self.message, self.fields) = (level, message, fields)
  }
}

package enum LogFormat: String, Hashable, Sendable, CaseIterable {
  /// `time=2026-08-01T12:00:00Z level=notice msg="a sentence" name=value`.
  case text
  /// The same members as one JSON object.
  case json

  /// Formats a record as one line without a line feed.
  package func line(_ record: LogRecord, at time: UTCTime) -> String {
    let members: [JSONMember] =
      .init(
        ("time", .string(time.text)), ("level", .string(record.level.rawValue)),
        ("msg", .string(record.message))) + record.fields
    switch self {
    case .json: return JSONValue.object(members).text
    case .text: return members.map { "\($0.name)=\(Self.plain($0.value))" }.joined(separator: " ")
    }
  }

  /// Quotes any value that is not a single plain word, so that programs can split a line at its spaces.
  private static func plain(_ value: JSONValue) -> String {
    guard let text = value.string else { return value.text }
    let isWord =
      !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"=\\".utf8.contains($0) }
    return isWord ? text : value.text
  }
}

extension String {
  /// An error's text without numbers and program output, which may differ even if the same failure is repeated.
  package var failureKey: String {
    prefix(upTo: firstRange(of: "; it said")?.lowerBound ?? endIndex).filter { !$0.isNumber }
  }
}

/// Ongoing failures. Each is logged once, and so is its end.
package final class RepeatedFailures<Work: Hashable & Sendable>: Sendable {
  private let state = Mutex<[Work: (key: String, began: ContinuousClock.Instant)]>([:])

  package init() {}

  /// Records a failure; returns true unless the work last failed in the same way.
  package func isNews(_ message: String, of work: Work, at now: ContinuousClock.Instant = .now) -> Bool {
    state.withLock { state in
      let last = state[work]
      state[work] = (message.failureKey, last?.began ?? now)
      return last?.key != message.failureKey
    }
  }

  /// Records a success; returns how long the work had been failing, if it had.
  package func end(_ work: Work, at now: ContinuousClock.Instant = .now) -> TimeSpan? {
    state.withLock { $0.removeValue(forKey: work).map { TimeSpan(now - $0.began) } }
  }
}

/// Lets a repeated warning pass once a day.
package final class RepeatedWarnings: Sendable {
  private let said = Mutex<[String: UTCTime]>([:])
  private let most: Int
  /// From this count on, warnings of earlier days are forgotten.
  private static let many = 256

  /// Lets at most `most` different warnings pass a day.
  package init(upTo most: Int = .max) { self.most = most }

  package func isDue(_ warning: String, now: UTCTime) -> Bool {
    said.withLock { said in
      // A clock that was set back must not silence the warning.
      if let last = said[warning], now.isWithin(UTCTime.secondsPerDay, of: last) { return false }
      if said.count >= min(most, Self.many) {
        said = said.filter { now.isWithin(UTCTime.secondsPerDay, of: $0.value) }
      }
      guard said.count < most else { return false }
      said[warning] = now
      return true
    }
  }

  /// Makes the warning due again, because its cause has ended.
  package func forget(_ warning: String) { _ = said.withLock { $0.removeValue(forKey: warning) } }
}
