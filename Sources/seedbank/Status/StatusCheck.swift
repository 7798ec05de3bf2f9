import SeedFormat
import SeedServer
import SeedSystem
import SeedTrust

/// A deployment's state in one line and one exit code, as monitors want it.
struct StatusCheck {
  /// The numbers are those that Nagios, Icinga, Sensu and Consul read.
  enum Level: Int, Comparable {
    case ok, warning, critical

    static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
  }

  typealias Problem = (level: Level, text: String)

  /// The worst first.
  let problems: [Problem]
  /// What stands in place of problems.
  private let summary: String

  /// A limit that is `nil` is not asked for.
  struct Limits {
    /// How old a series' newest version may be.
    var age: TimeSpan?
    /// How long ago the last step may be.
    var pause: TimeSpan?
  }

  init(_ status: DeploymentStatus, _ limits: Limits) {
    let critical = status.failures.map { (Level.critical, $0) }
    let warnings = status.warnings.filter { !status.failures.contains($0) }
    let old = status.series.flatMap {
      [$0.outdated(limits.age, status.now), $0.idle(limits.pause, status.now)].compactMap(\.self)
    }
    problems = critical + (warnings + old).map { (.warning, $0) }
    summary = status.series.map { $0.summary(status.now) }.joined(separator: "; ")
  }

  /// Of a deployment that cannot be looked at.
  init(_ failure: FailureReport) {
    problems = [(.critical, failure.message)]
    summary = ""
  }

  var level: Level { problems.map(\.level).max() ?? .ok }

  var line: String {
    let text = problems.isEmpty ? summary : problems.map(\.text.printable).joined(separator: "; ")
    return "\(level): \(text)"
  }

  var json: JSONValue {
    [
      "state": .string("\(level)"),
      "problems": .array(problems.map { ["state": .string("\($0.level)"), "text": .string($0.text)] }),
    ]
  }

  /// The line says all, so stderr says nothing.
  func throwIfNotOK() throws(CommandFailure) {
    switch level {
    case .ok: return
    case .warning: throw CommandFailure.told(.failure)
    case .critical: throw CommandFailure.told(.critical)
    }
  }
}

extension SeriesStatus {
  private var isUpdated: Bool { published?.metadata.state.lifecycle.isRetired == false }

  fileprivate func outdated(_ limit: TimeSpan?, _ now: UTCTime) -> String? {
    guard let limit, isUpdated, let state = published?.metadata.state else { return nil }
    let age = TimeSpan(from: state.publishedAt, to: now)
    guard age > limit else { return nil }
    return "\(series): version \(state.head) is \(age) old, more than \(limit)"
  }

  fileprivate func idle(_ limit: TimeSpan?, _ now: UTCTime) -> String? {
    guard let limit, isUpdated else { return nil }
    guard let last = lastBuild?.last else { return "\(series): the history has no publish step" }
    let pause = TimeSpan(from: last, to: now)
    return pause > limit ? "\(series): the last publish step was \(pause) ago, more than \(limit)" : nil
  }

  fileprivate func summary(_ now: UTCTime) -> String {
    guard let state = published?.metadata.state else { return "\(series): not published yet" }
    return "\(series): version \(state.head), \(TimeSpan(from: state.publishedAt, to: now)) old"
  }
}
