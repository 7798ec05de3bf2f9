package import SeedFormat

/// How much a line of the log matters.
package enum LogLevel: String, Hashable, Sendable, CaseIterable, Comparable {
  /// What was looked at and found to be as it was.
  case debug
  /// What went on as it should.
  case info
  /// What changed, and an operator may want to know.
  case notice
  /// What an operator should look at.
  case warning
  /// What failed.
  case error

  /// Lesser matters are less.
  package static func < (left: Self, right: Self) -> Bool {
    (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
  }
}

/// One line of the log, whatever it will look like.
package struct LogRecord: Hashable, Sendable {
  package let level: LogLevel
  /// One sentence.
  package let message: String
  /// What a program wants to know of it, by name.
  package let fields: [JSONMember]

  package init(_ level: LogLevel, _ message: String, _ fields: [JSONMember] = []) {
    self.level = level
    self.message = message
    self.fields = fields
  }
}
