import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

extension SeriesProblem {
  var isOfFiles: Bool { self == .noSnapshot || self == .filesMissing }
}

extension PageSeries {
  var trouble: (kind: String, word: String)? {
    problems.first.map { ($0.level.rawValue, word($0)) }
  }

  /// `nil` if nothing can be said while the publication is away.
  var badge: HTML? {
    if let (kind, word) = trouble { return .state(kind, word) }
    if isAway { return nil }
    return state.lifecycle == .active ? .state("good", "current") : .state("soon", state.lifecycle.word)
  }

  private func word(_ problem: SeriesProblem) -> String {
    switch problem {
    case .expired: "signatures expired"
    case .noSnapshot: "no snapshot"
    case .filesMissing: "files are missing"
    case .stepFailed:
      facts?.look.reason == .shrunk
        ? "held back for lost rows or values" : "last build \(facts?.look.newest?.rawValue ?? "")"
    case .clocksDiffer: "clocks differ"
    case .noStep: "no look for long"
    case .old: "older than expected"
    case .held: "held by a rollback"
    case .gained: "more in the origin"
    case .originHeldOpen: "origin open for long"
    case .modelGone: "its model is gone"
    case .copyUnreadable: "working copy unreadable"
    case .logDoubted: "log in doubt"
    case .untold: "not known"
    }
  }

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
      This series is deprecated. \(sunset.map { "Its end: \(foreign: $0). " })\(message.map { "\(foreign: $0)" })
      """
    }
  }

  private func sentence(_ problem: SeriesProblem) -> HTML? {
    switch problem {
    // The first sentence of the page.
    case .expired: nil
    case .noSnapshot:
      "New clients get nothing: all snapshot files are missing. <code>seedbank verify</code> shows what to do."
    case .filesMissing where problems.contains(.noSnapshot): nil
    case .filesMissing:
      """
      \(HTML.number(missingFiles, "file", "files")) of this series \(missingFiles == 1 ? "is" : "are") missing or not of
      the signed length: <code>seedbank verify</code> shows what to do.
      """
    case .stepFailed: failureNotice
    case .clocksDiffer:
      """
      A date of this series is ahead of this front’s clock, so the data’s age is unknown. <code>timedatectl</code> on this
      machine and on the publisher’s shows whose clock is not synchronized.
      """
    case .noStep: silenceNotice
    case .old:
      facts?.expectedChangeSeconds.map {
        """
        A new version is expected within \(HTML.durationText(seconds: $0)). Is its origin still fed?
        <code>seedbank status --history</code> shows when rows last changed.
        """
      }
    case .held: holdNotice
    case .gained: gainNotice
    case .originHeldOpen: openNotice
    case .modelGone:
      """
      The configuration no longer has a model of this series: its clients get nothing new. <code>seedbank status</code> shows
      what to put back, and how to end a series.
      """
    case .copyUnreadable:
      """
      The publisher’s working copy of this series cannot be read: <code>seedbank regenerate</code> rebuilds it. If this
      returns, check the disk.
      """
    case .logDoubted:
      """
      Its origin’s log misses writes, so rows are compared at each step. <code>seedbank status</code> shows why, and what to
      do.
      """
    case .untold where isCopy:
      """
      This front serves a copy. The results of the publisher’s steps, and so whether this is current, are at the publisher’s
      own front.
      """
    case .untold:
      """
      No status is reported to this front, so it cannot show whether this is current. <code>seedbank regenerate</code> reports
      it in <code>facts/</code> beside the publication, unless <code>"facts": false</code> turns that off.
      """
    }
  }

  private var silenceNotice: HTML? {
    facts?.look.newestAt.map {
      """
      The publisher last looked at the data \(HTML.time($0)). Does it still run? Start <code>seedbank run</code>, or look at
      the timer of <code>seedbank regenerate</code>.
      """
    }
  }

  private var holdNotice: HTML? {
    state.hold.map { hold in
      """
      A rollback took it back to the rows of version \(HTML.number(hold.version.number)). That was \(HTML.time(hold.since)). Nothing
      new is published until <code>seedbank regenerate --resume</code> publishes its origin again.
      """
    }
  }

  /// Omits the names, because an origin's names are private.
  private var gainNotice: HTML? {
    (facts?.gained).map { count in
      """
      Its origin has \(HTML.number(count, "new part", "new parts")) that clients do not get. <code>seedbank status</code> names
      \(count == 1 ? "it" : "them"); <code>seedbank model new</code> or <code>seedbank model skip</code> decides.
      """
    }
  }

  private var openNotice: HTML? {
    (facts?.look.reading.tooLongSeconds).map { seconds in
      """
      The newest step that read its origin kept a transaction open for \(TimeSpan(seconds: seconds).description), and until its
      end the origin keeps deleted rows. <code>seedbank status</code> shows how to make it shorter.
      """
    }
  }

  private var failureNotice: HTML? {
    guard let look = facts?.look, let at = look.newestAt else { return nil }
    let outcome = look.reason == .shrunk ? "was held back" : look.newest == .failed ? "failed" : "was refused"
    return """
      The newest build, \(HTML.time(at)), \(outcome): \(Self.words(look.reason))
      Clients keep version \(HTML.number(state.head.number)).
      """
  }

  private static func words(_ reason: StepRecord.Reason?) -> HTML {
    let status: HTML = "<code>seedbank status</code> on the publisher’s machine"
    return switch reason {
    case .keys:
      "a signing key is missing or is another one. <code>seedbank keys status</code> names it; put it back, or replace it."
    case .configuration:
      "the configuration or a model does not fit. \(status) shows where; correct it, and restart the publisher."
    case .origin:
      "the origin cannot be read now. \(status) shows the error; if another program locked it, wait."
    case .data:
      "the origin’s tables or rows do not fit the model. \(status) names them; correct them at their source, or the model."
    case .shrunk:
      """
      tables have lost more rows, or columns more values, than is allowed. \(status) names them. If that is intended,
      <code>seedbank regenerate --accept-shrink</code> publishes it; otherwise bring them back.
      """
    case .publication:
      "the publication cannot be read, or belongs to another publisher. <code>seedbank verify</code> shows what to do."
    case .disk: "a file or a disk failed. \(status) names it: make room, or repair it."
    case .other, nil: "\(status) shows why, and what to do."
    }
  }
}
