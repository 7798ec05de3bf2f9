import SeedFormat
import SeedSystem
import SeedTrust

// What an operator should look at: a word for the badge, and a sentence for each concern.
extension PageSeries {
  /// The worst of it.
  var trouble: (kind: String, word: String)? {
    concerns.first.map { (Optional($0.level).kind, word($0)) }
  }

  var badge: HTML {
    if let (kind, word) = trouble { return .state(kind, word) }
    return state.lifecycle == .active ? .state("good", "current") : .state("soon", state.lifecycle.word)
  }

  private func word(_ concern: SeriesConcern) -> String {
    switch concern {
    case .expired: "signatures expired"
    case .noSnapshot: "no snapshot"
    case .stepFailed: "last build \(facts?.look.newest?.rawValue ?? "")"
    case .clocksDiffer: "clocks differ"
    case .noStep: "no look for long"
    case .old: "older than expected"
    case .held: "held"
    case .untold: "not known"
    }
  }

  var notices: HTML {
    let sentences = ([lifecycleNotice] + concerns.map(sentence)).compactMap(\.self)
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

  private func sentence(_ concern: SeriesConcern) -> HTML? {
    switch concern {
    case .expired: "Clients refuse it: signatures on the way to it have expired. See Trust below."
    case .noSnapshot: "New clients get nothing: the file of no snapshot is there."
    case .stepFailed: failureNotice
    case .clocksDiffer:
      """
      Something of it is dated ahead of this front’s clock. Check the clocks of this machine and of the publisher’s: until
      they agree, nobody knows how old it is.
      """
    case .noStep:
      facts?.look.newestAt.map {
        "The publisher last looked at the data \(HTML.time($0)). Does it still run?"
      }
    case .old:
      facts?.expectedChangeSeconds.map {
        "A new version is expected within \(HTML.durationText(seconds: $0)). Is its origin still fed?"
      }
    case .held: holdNotice
    case .untold:
      """
      Nobody tells this front how the publisher’s steps end, so it cannot know whether this is current. The files in
      <code>facts/</code> beside the publication would; <code>"facts": false</code> turns them off.
      """
    }
  }

  private var holdNotice: HTML? {
    state.hold.map { hold in
      """
      It went back to the rows of version \(HTML.number(hold.version.number)), \(HTML.time(hold.since)), and
      nothing new is published until somebody releases it.
      """
    }
  }

  private var failureNotice: HTML? {
    guard let look = facts?.look, let at = look.newestAt else { return nil }
    return """
      The newest build, \(HTML.time(at)), \(look.newest == .failed ? "failed" : "was refused"): \
      \(Self.words(look.reason)). <code>seedbank status</code> on the publisher’s machine says more.
      Clients keep version \(HTML.number(state.head.number)).
      """
  }

  private static func words(_ reason: FailureReason?) -> String {
    switch reason {
    case .keys: "a key that signs is missing or is another one"
    case .configuration: "the configuration or a model does not fit"
    case .origin: "the origin is away or cannot be read"
    case .data: "what the origin holds is not fit to be published"
    case .publication: "what is published cannot be read, or belongs to another publisher"
    case .disk: "a file or a disk failed"
    case .other, nil: "the publisher’s log says why"
    }
  }
}
