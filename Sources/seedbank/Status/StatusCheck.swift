import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust

/// A deployment's state as one line and an exit code, for monitoring.
struct StatusCheck {
  /// The states of Nagios, Icinga, Sensu and Consul.
  enum Level { case ok, warning, critical }

  /// In order of severity.
  let problems: [(level: Level, text: String)]
  private let summary: String

  /// Limits given as options. If nil, `age` comes from the configuration and `pause` from published facts.
  struct Limits {
    var age: TimeSpan?
    var pause: TimeSpan?
  }

  init(_ status: DeploymentStatus, _ limits: Limits) {
    let critical = status.failures.map { (Level.critical, $0) }
    let warnings = status.warnings.filter { !status.failures.contains($0) }
    let old = status.series.flatMap { $0.delays(limits, status.now) }
    problems = critical + (warnings + old).map { (.warning, $0) }
    summary = status.series.map { $0.summary(status.now) }.joined(separator: "; ")
  }

  init(_ failure: Refusal) {
    problems = [(.critical, failure.message)]
    summary = ""
  }

  var level: Level { problems.first?.level ?? .ok }

  var line: String {
    let text = problems.isEmpty ? summary : problems.map(\.text.printable.unclosed).joined(separator: "; ")
    return "\(level): \(text)"
  }

  var json: JSONValue {
    [
      "state": .string("\(level)"),
      "problems": .array(problems.map { ["state": .string("\($0.level)"), "text": .string($0.text)] }),
    ]
  }

  /// The error has no message, because the printed line describes the problems.
  func throwIfNotOK() throws(Refusal) {
    guard level != .ok else { return }
    throw Refusal(level == .warning ? .failure : .critical, "", isInResult: true)
  }
}

extension LocalSeriesStatus {
  func status(_ limits: StatusCheck.Limits) -> SeriesStatus? {
    guard let metadata = published?.metadata else { return nil }
    var status = SeriesStatus(metadata)
    status.steps = lastBuild.map { build in
      SeriesStatus.Steps(
        build.outcome, at: build.last,
        patienceSeconds: limits.pause?.seconds
          ?? StepRhythm.patienceSeconds(facts?.checkSeconds, facts?.commandSeconds),
        changeSeconds: limits.age?.seconds ?? dataset.policy.expectedChangeSeconds)
    }
    return status
  }

  /// Problems that depend on the limits. All others are among the status's warnings.
  fileprivate func delays(_ limits: StatusCheck.Limits, _ now: UTCTime) -> [String] {
    guard let status = status(limits) else { return [] }
    return status.problems(at: now).compactMap { problem -> String? in
      let (version, steps) = (published?.metadata.state.head.number ?? 0, status.steps)
      let details: String? =
        switch problem {
        case .noStep:
          steps.map {
            "the last publish step was \(TimeSpan(from: $0.newestAt, to: now)) ago, more than"
              + " \(TimeSpan(seconds: $0.patienceSeconds))"
          }
        case .old:
          "version \(version) is \(TimeSpan(from: status.publishedAt, to: now)) old, more than"
            + " \(TimeSpan(seconds: steps?.changeSeconds ?? 0))"
        case .notReported: "the history has no publish step, so the age of the last one is unknown"
        default: nil
        }
      return details.map { "\(series): \($0): \(problem.words(in: series.dataset).remedy)" }
    }
  }

  fileprivate func summary(_ now: UTCTime) -> String {
    guard let state = published?.metadata.state else { return "\(series): not published yet" }
    return "\(series): version \(state.head), \(TimeSpan(from: state.publishedAt, to: now)) old"
  }
}
