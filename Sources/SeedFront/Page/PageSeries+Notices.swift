import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

extension PageSeries {
  var trouble: (kind: String, word: String)? { problems.first.map { ($0.level.rawValue, word($0)) } }

  /// `nil` if the publication is unavailable.
  var badge: HTML? {
    if let (kind, word) = trouble { return .state(kind, word) }
    if isAway { return nil }
    return state.lifecycle == .active ? .state("good", "current") : .state("soon", state.lifecycle.word)
  }

  private func word(_ problem: SeriesProblem) -> String {
    guard problem == .stepFailed else { return problem.words(in: series.dataset).title }
    return isShrunk
      ? "held back for lost rows or values" : "last build \(facts?.look.newest?.rawValue ?? "")"
  }

  private var isShrunk: Bool { problems.contains(.stepFailed) && facts?.look.reason == .shrunk }

  var notices: HTML {
    let sentences = ([lifecycleNotice] + problems.map(sentence)).compactMap(\.self)
    return "<div id=\"\(id):notices\">\(sentences.map { "<p class=\"notice\">\($0)</p>" })</div>"
  }

  private var lifecycleNotice: HTML? {
    switch state.lifecycle {
    case .active: nil
    case .retired(let message):
      "This series is retired and gets no more data. \(message.map { "\(foreign: $0)" })"
    case .deprecated(let sunset, let message):
      """
      This series is deprecated. \(sunset.map { "It ends on \(foreign: $0). " })\(message.map { "\(foreign: $0)" })
      """
    }
  }

  private func sentence(_ problem: SeriesProblem) -> HTML? {
    switch problem {
    case .stepFailed: failureNotice
    case .notReported where isCopy:
      """
      This front serves a copy. Only the publisher’s own front shows the results of publish steps, and whether the data
      is current.
      """
    case .notReported:
      """
      No status is reported to this front, so it cannot show whether the data is current.
      <code>seedbank regenerate</code> writes the status to <code>facts/</code> beside the publication, unless
      <code>"facts": false</code> turns that off.
      """
    // The failure's notice gives a command for both problems.
    case .held where isShrunk: details(problem).map { "\($0)." }
    default: details(problem).map { "\($0): \(commands: problem.words(in: series.dataset).remedy)." }
    }
  }

  /// `nil` if the page shows the problem elsewhere. Omits the names of an origin's parts, which are private.
  private func details(_ problem: SeriesProblem) -> HTML? {
    switch problem {
    case .expired, .stepFailed, .notReported: nil
    case .noSnapshot: "New clients get nothing: all snapshot files are missing"
    case .filesMissing where problems.contains(.noSnapshot): nil
    case .filesMissing:
      """
      \(HTML.number(missingFiles, "file", "files")) of this series \(missingFiles == 1 ? "is" : "are") missing, or
      \(missingFiles == 1 ? "has" : "have") the wrong length
      """
    case .clocksDiffer:
      "A date of this series is ahead of this front’s clock, so the data’s age is unknown"
    case .noStep: (facts?.look.newestAt).map { "The publisher last checked the origin \(HTML.time($0))" }
    case .old:
      (facts?.expectedChangeSeconds).map {
        "No new version was published within the expected \(HTML.durationText(seconds: $0))"
      }
    case .held:
      state.hold.map {
        """
        A rollback, \(HTML.time($0.since)), restored the rows of version \(HTML.number($0.version.number)), and
        nothing new is published
        """
      }
    case .gained:
      (facts?.gained).map {
        """
        Its origin has \(HTML.number($0, "new table, column, index or view", "new tables, columns, indexes or views")) that
        clients do not get
        """
      }
    case .originHeldOpen:
      (facts?.look.reading.tooLongSeconds).map {
        """
        The newest step that read its origin kept a transaction open for \(TimeSpan(seconds: $0).description), during which
        the database cannot reclaim deleted rows
        """
      }
    case .modelGone: "The configuration no longer has a model of this series: its clients get nothing new"
    case .copyUnreadable: "The publisher’s working copy of this series cannot be read"
    case .logDoubted: "Its origin’s log misses writes, so all rows are compared in each step"
    }
  }

  private var failureNotice: HTML? {
    guard let look = facts?.look, let at = look.newestAt else { return nil }
    let outcome = look.reason == .shrunk ? "was held back" : look.newest == .failed ? "failed" : "was refused"
    return """
      The newest build, \(HTML.time(at)), \(outcome): \(commands: words(look.reason))
      Clients keep version \(HTML.number(state.head.number)).
      """
  }

  private func words(_ reason: StepRecord.Reason?) -> String {
    let status = "'seedbank status' on the publisher’s machine"
    return switch reason {
    case .keys:
      "a signing key is missing or is the wrong one. 'seedbank keys status' names the key; put it back, or replace it."
    case .configuration:
      "the configuration or a model is wrong, or has changed since the publisher was started. \(status) shows where; correct it, and restart the publisher."
    case .origin:
      "the origin cannot be read: it is missing, damaged, locked or unreachable. \(status) shows which, and what to do."
    case .data:
      "the origin’s tables or rows do not fit the model. \(status) names them; correct them at their source, or the model."
    case .shrunk:
      "tables have lost more rows, or columns more values, than is allowed. \(status) names them. If that is "
        + "intended, 'seedbank regenerate --dataset \(series.dataset)\(state.hold == nil ? "" : " --resume") "
        + "--accept-shrink' publishes it; otherwise restore them."
    case .publication:
      "the publication cannot be read, or belongs to another publisher. 'seedbank verify' on the publisher’s machine shows "
        + "what to do."
    case .disk: "a file or a disk failed. \(status) names it: free some space, or repair it."
    case .other, nil: "\(status) shows why, and what to do."
    }
  }
}
