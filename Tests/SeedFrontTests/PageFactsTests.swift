import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSigning
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedFront

@Suite struct PageFactsTests {
  private let catalog: PublishedCatalog
  private static let series = FrontPublication.transit
  private static let now = FrontPublication.start.adding(seconds: 200)

  init() throws {
    catalog = try FrontPublication.usualCatalog.get()
  }

  private func page(_ change: (inout SeriesFacts) -> Void = { _ in }, at now: UTCTime = now) -> String {
    var facts = SeriesFacts(
      Self.series, writtenAt: Self.now,
      look: .init(good: Self.now, newest: .unchanged, newestAt: Self.now))
    change(&facts)
    let view = CatalogView(catalog, facts: [Self.series: facts])
    let clients = ClientCounts(requests: [], since: Self.now)
    return String(decoding: PageContent(view: view, clients: clients, now: now).html.bytes, as: UTF8.self)
  }

  private func step(_ outcome: StepRecord.Outcome, _ place: Int) -> StepRecord {
    let at = Self.now.adding(seconds: -place)
    var step = StepRecord(outcome, of: Self.series.dataset, at: at)
    (step.milliseconds, step.to, step.rows) = (100 * place, 104 - place, 1000 - place)
    return step
  }

  @Test func `a failed or rejected build is shown first and without its error text`() {
    for (outcome, words) in [(StepRecord.Outcome.failed, "failed"), (.refused, "was refused")] {
      let html = page { ($0.look.newest, $0.look.reason) = (outcome, .keys) }
      #expect(html.contains("class=\"standing soon\""))
      #expect(
        html.contains(">transit 2</a> needs your attention: last build \(outcome.rawValue)."))
      #expect(
        html.contains("class=\"state bad\">last build \(outcome.rawValue)<")
          && html.contains("</time>, \(words): a signing key is missing"))
    }
    #expect(page().contains("class=\"standing good\""))
  }

  @Test func `each problem has its own words and none leaves the page green`() {
    let problems: [(word: String, sentence: String, change: (inout SeriesFacts) -> Void)] = [
      ("clocks differ", "ahead of this front’s clock", { $0.look.newestAt = Self.now.adding(days: 1) }),
      (
        "no recent check", "is the publisher running?",
        { $0.look.newestAt = Self.now.adding(days: -2) }
      ),
      ("older than expected", "within the expected 1\u{A0}min", { $0.expectedChangeSeconds = 60 }),
      ("not known", "No status is reported to this front", { $0.look.newest = nil }),
      ("new in the origin", "<code>seedbank model new</code>", { $0.gained = 2 }),
      (
        "held back for lost rows or values",
        "<code>seedbank regenerate --dataset transit --accept-shrink</code>",
        { ($0.look.newest, $0.look.reason) = (.refused, .shrunk) }
      ),
      (
        "last build refused", "tables or rows do not fit the model.",
        { ($0.look.newest, $0.look.reason) = (.refused, .data) }
      ),
      (
        "last build failed", "it is missing, damaged, locked or unreachable.",
        { ($0.look.newest, $0.look.reason) = (.failed, .origin) }
      ),
    ]
    for (word, sentence, change) in problems {
      let html = page(change)
      #expect(html.contains("\">\(word)</span>") && html.contains(sentence), "\(word)")
      #expect(!html.contains("class=\"standing good\"") && !html.contains("Everything is current"), "\(word)")
      #expect(!html.contains("class=\"state good\">current"), "\(word)")
    }
  }

  @Test func `a held series gets one command, which also accepts its lost rows if they were refused`() {
    var state = SeriesState(
      epoch: .random(), head: .first, floor: .first, model: "2.1", models: [:], publishedAt: Self.now,
      pollSeconds: 60)
    state.hold = SeriesHold(version: .first, since: Self.now)
    func notices(_ newest: StepRecord.Outcome, _ reason: StepRecord.Reason?) -> String {
      let metadata = SeriesMetadata(series: Self.series, state: state, objects: [])
      var status = SeriesStatus(metadata)
      status.steps = .init(newest, at: Self.now, patienceSeconds: 60)
      let look = SeriesFacts.Look(good: Self.now, newest: newest, newestAt: Self.now, reason: reason)
      let series = PageSeries(
        metadata: metadata, snapshots: [],
        facts: SeriesFacts(Self.series, writtenAt: Self.now, look: look),
        problems: status.problems(at: Self.now), missingFiles: 0,
        clients: ClientCounts(requests: [], since: Self.now), isCopy: false, isAway: false, isApart: false)
      return String(decoding: series.notices.bytes, as: UTF8.self)
    }
    let resume = "<code>seedbank regenerate --dataset transit --resume"
    let held = notices(.held, nil)
    #expect(held.contains("\(resume)</code>") && held.contains("add <code>--accept-shrink</code>"))
    let shrunk = notices(.refused, .shrunk)
    #expect(shrunk.contains("\(resume) --accept-shrink</code>") && shrunk.contains("A rollback, <time"))
    #expect(shrunk.ranges(of: "<code>seedbank regenerate").count == 1, "\(shrunk)")
  }

  @Test func `the page shows a remedy for every reason of a failed build`() {
    for reason in StepRecord.Reason.allCases {
      let html = page { ($0.look.newest, $0.look.reason) = (.failed, reason) }
      let notices = html.split(separator: "transit-2:notices\">").last?.split(separator: "</div>").first ?? ""
      #expect(notices.contains("Clients keep version") && notices.contains("<code>seedbank "), "\(reason)")
    }
  }

  @Test func `no series is green while its signatures are expired or not renewed`() {
    let late = page(
      { ($0.lifetimeSeconds, $0.look.newestAt) = (RepositorySigner.onlineSeconds, Self.now.adding(days: 5)) },
      at: Self.now.adding(days: 5))
    #expect(late.contains("class=\"standing soon\">No process renews the signatures"))
    #expect(late.contains("class=\"state soon\">not renewed<") && !late.contains("Everything is current"))
    let expired = page(at: Self.now.adding(seconds: RepositorySigner.onlineSeconds))
    for words in ["standing bad\"", "state bad\">signatures expired<"] {
      #expect(expired.contains("class=\"\(words)"))
    }
  }

  @Test func `a publisher that stopped checking is reported after a time that fits its interval`() {
    for (every, seconds, isMissed) in [(2, 450, false), (2, 451, true), (120, 600, false), (120, 601, true)] {
      let html = page({ $0.checkSeconds = every }, at: Self.now.adding(seconds: seconds))
      #expect(html.contains("is the publisher running?") == isMissed, "\(every), \(seconds)")
    }
    // A timer has no known interval, so it gets 26 hours, as in the documented alerts.
    for (hours, isMissed) in [(25, false), (27, true)] {
      #expect(
        page(at: Self.now.adding(seconds: hours * 3600)).contains("is the publisher running?")
          == isMissed
      )
    }
  }

  @Test func `the page shows how a build found its changes, why not by the log, and the wait for a replica`()
  {
    var audit = step(.published, 1)
    (audit.foundBy, audit.missedRows) = (FoundBy(.audit), 123)
    var compared = step(.published, 2)
    compared.foundBy = FoundBy(.comparison, .otherSchema, reason: nil)
    var logged = step(.published, 3)
    logged.foundBy = FoundBy(.log)
    let html = page { $0.steps = [audit, compared, logged] }
    for words in ["audit: the log missed 123", "comparison: other-schema", "log"] {
      #expect(html.contains("<span class=\"quiet\">\(words)</span></td>"), "\(words)")
    }
    let since = Self.now.adding(seconds: -30)
    let waiting = page { $0.look.behindSince = since }
    let entry = waiting.split(separator: "<dt>Waiting for the replica since</dt>").last?.prefix(120) ?? ""
    #expect(entry.contains(since.text), "\(entry)")
  }

  @Test func `the next snapshot is shown`() {
    let next = Self.now.adding(days: 1)
    let html = page { $0.nextSnapshot = next }
    #expect(html.contains("Next snapshot") && html.contains("datetime=\"\(next.text)\""))
    #expect(!page().contains("Next snapshot"))
  }

  @Test func `builds are shown as bars and as a table up to a limit`() {
    let outcomes: [StepRecord.Outcome] = [.published, .failed, .rolledBack, .refused]
    let html = page { facts in
      facts.steps = (0..<100).map { step(outcomes[$0 % 4], $0) }
    }
    #expect(html.ranges(of: "<title>").count == PageLimits.builds)
    #expect(html.contains("</data> more builds: <a href=\"/v1/transit/facts?model=2.1\">"))
    #expect(html.ranges(of: "<g class=\"bad\">").count == PageLimits.builds / 2)
    #expect(html.contains("6 published, 6 rolled back, 6 refused, 6 failed; the longest took 2.3\u{A0}s."))
    // The newest bar is the last, the oldest the highest.
    #expect(html.contains("UTC: version 81 refused in 2.3\u{A0}s</title><path d=\"M5 40v-40\"/>"))
    #expect(html.contains("UTC: version 104 published in 0\u{A0}ms</title><path d=\"M275 40v-6\"/>"))
    // The clock was set back before the newest.
    let back = page { facts in facts.steps = [10, 0, 100].map { step(.published, $0) } }
    for place in [5, 275, 248] { #expect(back.contains("<path d=\"M\(place) 40v"), "\(place)") }
  }

  @Test func `a bar and a row link to the changes of their version while its delta is published`() {
    let html = page { facts in
      facts.steps = (100...104).reversed().map { version in
        var step = step(.published, 104 - version)
        (step.from, step.to) = (version - 1, version)
        return step
      }
    }
    let path = "href=\"/v1/transit/changes?model=2.1&amp;since=103&amp;to=104&amp;epoch="
    #expect(html.ranges(of: path).count == 2 && html.contains(">103 → 104</a>"))
    // There is no delta from below the floor.
    #expect(!html.contains("since=99&amp;") && html.contains("<data value=\"100\">100</data></td>"))
    // A build of a former epoch changed other rows.
    let former = page { facts in
      facts.steps = [(103, 104), (nil, 103), (103, 104)].enumerated().map { place, versions in
        var step = step(.published, place)
        (step.from, step.to) = versions
        return step
      }
    }
    #expect(former.ranges(of: ">103 → 104</a>").count == 1)
  }

  @Test func `tables are shown with rows and keys up to a limit`() {
    let html = page { facts in
      facts.tables = (0..<PageLimits.tables + 5).map { place in
        let columns = (0..<300).map { SeriesFacts.Column(name: "c\($0)", type: "TEXT", isKey: $0 == 0) }
        return .init(
          name: "<t\(place)>", rows: place, columns: columns,
          sql: "CREATE TABLE \(String(repeating: "x", count: 20_000))")
      }
    }
    #expect(html.contains("<bdi>&lt;t7&gt;</bdi>") && html.contains("<b><bdi>c0</bdi></b>, <bdi>c1</bdi>"))
    #expect(html.contains("and <data value=\"288\">288</data> more"))
    #expect(html.contains("<data value=\"5\">5</data> more tables: <a href=\"/v1/transit/facts?model=2.1\">"))
    #expect(!html.contains("CREATE TABLE"))
  }

  @Test func `unverified numbers may have any size`() {
    var changes = TableChanges()
    (changes.inserted, changes.updated, changes.deleted) = (.max, .max, .max)
    let html = page { facts in
      facts.checkSeconds = .max
      facts.tables = (0..<3).map { .init(name: "t\($0)", rows: .max, columns: [], sql: "") }
      facts.steps = (0..<3).map { place in
        var step = step(.published, place)
        (step.milliseconds, step.times, step.rows, step.to) = (.max, .max, .max, .max)
        (step.deltaBytes, step.snapshotBytes) = (.max, .max)
        step.changes = ["a": changes, "b": changes]
        return step
      }
    }
    #expect(html.contains("<data value=\"\(Int.max)\">"))
  }
}
