import SeedFormat
import SeedSystem
import SeedTrust

/// One series on the page.
struct PageSeries: Sendable {
  let metadata: SeriesMetadata
  /// With which a client can begin now.
  let snapshots: [PublishedObject]
  let facts: SeriesFacts?
  let clients: ClientCounts
  let now: UTCTime
  /// The root file that a new client begins with.
  let root: String?

  var state: SeriesState { metadata.state }
  var series: Series { metadata.series }
  /// Of the page's elements, and of its anchors.
  var id: String { series.roleName }
  var name: String { "\(series.dataset) \(series.major)" }
  var snapshot: PublishedObject? { snapshots.snapshots().first }

  /// A line of the list at the top.
  var row: HTML {
    let cells: [HTML] = [
      .numberCell(.number(state.head.number)), .cell(.time(state.publishedAt)),
      .numberCell(snapshot.map { .size($0.length) }), .cell(badge),
    ]
    return .row("list:\(id)", named: "<a href=\"#\(id)\">\(name)</a>", cells)
  }

  /// Where it is folded, only its name and state are seen until somebody opens it.
  func section(isFolded: Bool) -> HTML {
    let heading: HTML =
      "<h2 id=\"\(id):name\">\(series.dataset.text) <span>\(series.major)</span></h2>\(badge)"
    guard isFolded else {
      return """
        <section class="series" id="\(id)" aria-labelledby="\(id):name">
        <header>\(heading)</header>
        \(content)
        </section>

        """
    }
    return """
      <details class="series" id="\(id):fold"><summary>\(heading)</summary>
      <div id="\(id)">
      \(content)
      </div></details>

      """
  }

  private var content: HTML {
    """
    \(credit)
    \(notices)
    \(glance)
    \(builds)
    \(changes)
    \(tables)
    \(commands)
    \(snapshotList)
    \(clientShares)
    """
  }

  // MARK: - State

  /// What an operator should look at, and how bad it is.
  var trouble: (kind: String, word: String)? {
    if snapshot == nil { return ("bad", "no snapshot") }
    if let outcome = facts?.look.newest, outcome == .failed || outcome == .refused {
      return ("bad", "last build \(outcome.rawValue)")
    }
    if isLookMissing { return ("soon", "no look for long") }
    if state.hold != nil { return ("soon", "held") }
    return nil
  }

  private var badge: HTML {
    if let (kind, word) = trouble { return .state(kind, word) }
    return state.lifecycle == .active ? .state("good", "current") : .state("soon", state.lifecycle.word)
  }

  /// Whether a publisher that looks every few seconds has not done so for much longer.
  private var isLookMissing: Bool {
    guard let every = facts?.checkSeconds, let good = facts?.look.good, !state.lifecycle.isRetired else {
      return false
    }
    let looks = PageLimits.missedLooks * min(every, UTCTime.secondsPerDay)
    let patience = max(PageLimits.missedSeconds, looks)
    return now.secondsSinceEpoch - good.secondsSinceEpoch > patience
  }

  private var credit: HTML? {
    let texts = [state.attribution, state.license, state.source].compactMap(\.self).filter { !$0.isEmpty }
    guard !texts.isEmpty else { return nil }
    let parts = texts.map { text -> HTML in "\(foreign: text)" }
    return "<p class=\"credit\">\(parts.joined(by: " · "))</p>"
  }

  private var notices: HTML {
    let sentences = [lifecycleNotice, holdNotice, lookNotice].compactMap(\.self)
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

  private var holdNotice: HTML? {
    state.hold.map { hold in
      """
      It went back to the rows of version \(HTML.number(hold.version.number)), \(HTML.time(hold.since)), and
      nothing new is published until somebody releases it.
      """
    }
  }

  private var lookNotice: HTML? {
    if let look = facts?.look, let outcome = look.newest, let at = look.newestAt,
      outcome == .failed || outcome == .refused
    {
      return """
        The newest build, \(HTML.time(at)), \(outcome == .failed ? "failed" : "was refused"); the publisher’s log says why.
        Clients keep version \(HTML.number(state.head.number)).
        """
    }
    guard isLookMissing, let good = facts?.look.good else { return nil }
    return "The publisher last looked at the data \(HTML.time(good)). Does it still run?"
  }

  // MARK: - At a glance

  private var glance: HTML {
    let entries: [(String, String, HTML?)] = [
      ("head", "Version", .number(state.head.number)),
      ("published", "Published", .time(state.publishedAt)),
      ("look", "Last good look", facts?.look.good.map(HTML.time)),
      ("rows", "Rows", facts.flatMap(\.allRows).map(HTML.number)),
      ("download", "Download", snapshot.map { .size($0.length) }),
      ("unpacked", "Unpacked", snapshot.map { .size($0.rawLength) }),
      ("models", "Models", "\(state.models.keys.sorted().map(\.description).joined(separator: ", "))"),
      ("look-every", "Looks every", facts?.checkSeconds.map { "\(HTML.durationText(seconds: $0))" }),
      ("poll", "Clients look every", "\(HTML.durationText(seconds: state.pollSeconds))"),
      ("next", "Next snapshot", nextSnapshots),
    ]
    return "<dl class=\"glance\">\n\(entries.map { Self.entry($0.0, $0.1, $0.2) })</dl>"
  }

  private static func entry(_ kind: String, _ term: String, _ value: HTML?) -> HTML {
    guard let value else { return .empty }
    return "<div class=\"\(kind)\"><dt>\(term)</dt><dd>\(value)</dd></div>\n"
  }

  private var nextSnapshots: HTML? {
    guard let upcoming = facts?.upcoming else { return nil }
    let times = upcoming.calendarTimes.isEmpty ? [upcoming.due].compactMap(\.self) : upcoming.calendarTimes
    guard !times.isEmpty else { return nil }
    let zone: HTML? = upcoming.clock.map { " <span class=\"quiet\">(\($0.name))</span>" }
    return "\(times.map(HTML.time).joined(by: "<br>"))\(zone)"
  }
}

extension SeriesFacts {
  /// `nil` where the publisher counted none.
  var allRows: Int? { tables.isEmpty ? nil : tables.map(\.rows).boundedSum }
}

extension [Int] {
  /// The sum of numbers that nobody vouches for; what is too much for a number is the largest there is.
  var boundedSum: Int {
    reduce(0) { sum, number in
      let (next, isTooMuch) = sum.addingReportingOverflow(number)
      return isTooMuch ? .max : next
    }
  }
}

extension [HTML] {
  func joined(by separator: HTML) -> HTML {
    dropFirst().reduce(first ?? .empty) { "\($0)\(separator)\($1)" }
  }
}
