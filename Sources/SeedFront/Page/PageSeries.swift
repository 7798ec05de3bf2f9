import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

struct PageSeries: Sendable {
  let metadata: SeriesMetadata
  /// The snapshots that a new client can download now.
  let snapshots: [PublishedObject]
  let facts: SeriesFacts?
  /// Worst first.
  let problems: [SeriesProblem]
  let missingFiles: Int
  let clients: ClientCounts
  let hasSuccessor: Bool
  /// Whether the front serves a copy, which gets no reports of the publisher's steps.
  let isCopy: Bool
  /// Whether the publication's files are gone, which the top of the page reports.
  let isAway: Bool
  let now: UTCTime
  let root: String?

  var state: SeriesState { metadata.state }
  var series: SeedSeries { metadata.series }
  /// For elements and anchors.
  var id: String { series.roleName }
  var name: String { series.words }
  /// Smaller is worse.
  var severity: Int { problems.first?.rawValue ?? .max }
  var snapshot: PublishedObject? { snapshots.snapshots().first }

  var row: HTML {
    // State first, because a narrow screen shows only two columns.
    let cells: [HTML] = [
      .cell(badge), .numberCell(.number(state.head.number)), .cell(.time(state.publishedAt)),
      .numberCell(snapshot.map { .size($0.length) }),
    ]
    return .row("list:\(id)", named: "<a href=\"#\(id)\">\(name)</a>", cells)
  }

  /// A folded section shows only its name and state until opened.
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

  private var credit: HTML? {
    let texts = [state.attribution, state.license, state.source].compactMap(\.self).filter { !$0.isEmpty }
    guard !texts.isEmpty else { return nil }
    let parts = texts.map { text -> HTML in "\(foreign: text)" }
    return "<p class=\"credit\">\(parts.joined(by: " · "))</p>"
  }

  // MARK: - At a glance

  private var glance: HTML {
    let entries: [(String, String, HTML?)] = [
      ("head", "Version", .number(state.head.number)),
      ("published", "Published", .time(state.publishedAt)),
      ("look", "Last good look", facts?.look.good.map(HTML.time)),
      (
        "reading", "Origin open for",
        facts?.look.reading.openMilliseconds.map { "\(HTML.durationText(milliseconds: $0))" }
      ),
      ("role", "Origin read from", facts?.look.reading.role.map { "\($0.rawValue)" }),
      (
        "lag", "Replica behind by",
        facts?.look.reading.lagSeconds.map { "\(TimeSpan(seconds: $0).description)" }
      ),
      ("wait", "Waits for the replica since", facts?.look.behindSince.map(HTML.time)),
      ("found", "Rows compared because", facts?.look.foundBy?.why.map { "\($0.rawValue)" }),
      (
        "missed", "Rows the log missed",
        facts.flatMap { $0.missedRows == 0 ? nil : HTML.number($0.missedRows) }
      ),
      ("rows", "Rows", facts.flatMap(\.allRows).map(HTML.number)),
      ("download", "Download", snapshot.map { .size($0.length) }),
      ("unpacked", "Unpacked", snapshot.map { .size($0.rawLength) }),
      ("models", "Models", "\(state.models.keys.sorted().map(\.description).joined(separator: ", "))"),
      ("look-every", "Looks every", facts?.checkSeconds.map(Self.rhythm)),
      ("poll", "Clients look every", "\(HTML.durationText(seconds: state.pollSeconds))"),
      ("next", "Next snapshot", nextSnapshots),
    ]
    return "<dl class=\"glance\">\n\(entries.map { Self.entry($0.0, $0.1, $0.2) })</dl>"
  }

  private static func entry(_ kind: String, _ term: String, _ value: HTML?) -> HTML {
    guard let value else { return .empty }
    return "<div class=\"\(kind)\"><dt>\(term)</dt><dd>\(value)</dd></div>\n"
  }

  /// The local time of the calendar, without the day.
  private static func local(_ time: UTCTime, _ clock: ZoneClock) -> HTML {
    let words = clock.text(time).split(separator: " ").dropFirst().joined(separator: " ")
    return "<span class=\"quiet\">, which is \(words)</span>"
  }

  /// Explains that an unsuccessful check is reported late, so an old time does not surprise readers.
  private static func rhythm(_ checkSeconds: Int) -> HTML {
    let told = StepRhythm.expectedSeconds(checkSeconds)
    return """
      \(HTML.durationText(seconds: checkSeconds))\
      <span class="quiet">, shown within \(HTML.durationText(seconds: told))</span>
      """
  }

  private var nextSnapshots: HTML? {
    guard let upcoming = facts?.upcoming else { return nil }
    let times = upcoming.calendarTimes.isEmpty ? [upcoming.due].compactMap(\.self) : upcoming.calendarTimes
    guard !times.isEmpty else { return nil }
    return times.map { time -> HTML in "\(HTML.time(time))\(upcoming.clock.map { Self.local(time, $0) })" }
      .joined(by: "<br>")
  }
}

extension SeriesFacts {
  /// `nil` if the publisher counted none.
  var allRows: Int? { tables.isEmpty ? nil : tables.map(\.rows).boundedSum }
}

extension [Int] {
  /// The sum, limited to the largest integer because the numbers are untrusted.
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
