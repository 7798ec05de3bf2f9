import Foundation
import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedServer

/// What the page makes of what the publisher tells.
@Suite(.bounded) struct PageFactsTests {
  private let catalog: PublishedCatalog
  private let publication: FrontPublication
  private static let series = FrontPublication.transit
  private static let now = FrontPublication.start.adding(seconds: 200)

  init() throws {
    publication = try FrontPublication(history: ())
    catalog = try publication.catalog()
  }

  private func page(_ change: (inout SeriesFacts) -> Void = { _ in }, at now: UTCTime = now) -> String {
    var facts = SeriesFacts(
      Self.series, writtenAt: Self.now,
      look: .init(good: Self.now, newest: .unchanged, newestAt: Self.now),
      upcoming: UpcomingSnapshots(due: nil, calendarTimes: [], clock: nil, jitterSeconds: 0))
    change(&facts)
    let view = CatalogView(catalog, facts: [Self.series: facts])
    let clients = ClientCounts(requests: [], since: Self.now)
    return String(decoding: PageContent(view: view, clients: clients, now: now).html.bytes, as: UTF8.self)
  }

  private func step(_ outcome: StepOutcome, _ place: Int) -> SeriesFacts.Step {
    let at = Self.now.adding(seconds: -place)
    var step = SeriesFacts.Step(outcome, at: at, last: at)
    (step.milliseconds, step.to, step.rows) = (100 * place, 104 - place, 1000 - place)
    return step
  }

  @Test func `a failed or refused build is the first thing that is said, and why is not`() {
    for (outcome, words) in [(StepOutcome.failed, "failed"), (.refused, "was refused")] {
      let html = page { ($0.look.newest, $0.look.reason) = (outcome, .keys) }
      #expect(html.contains("class=\"standing soon\""))
      #expect(
        html.contains(">transit 2</a> needs somebody’s attention: last build \(outcome.rawValue)."))
      #expect(
        html.contains("class=\"state bad\">last build \(outcome.rawValue)<")
          && html.contains("</time>, \(words): a key that signs is missing"))
    }
    #expect(page().contains("class=\"standing good\""))
  }

  @Test func `each concern has a word and a sentence of its own, and none leaves the page green`() {
    let concerns: [(word: String, sentence: String, change: (inout SeriesFacts) -> Void)] = [
      ("clocks differ", "ahead of this front’s clock", { $0.look.newestAt = Self.now.adding(days: 1) }),
      ("no look for long", "Does it still run?", { $0.look.newestAt = Self.now.adding(days: -2) }),
      ("older than expected", "expected within 1\u{A0}min", { $0.expectedChangeSeconds = 60 }),
      ("not known", "Nobody tells this front", { $0.look.newest = nil }),
    ]
    for (word, sentence, change) in concerns {
      let html = page(change)
      #expect(html.contains("\">\(word)</span>") && html.contains(sentence), "\(word)")
      #expect(!html.contains("class=\"standing good\"") && !html.contains("Everything is current"), "\(word)")
      #expect(!html.contains("class=\"state good\">current"), "\(word)")
    }
  }

  @Test func `beside expired signatures no series is green`() {
    let html = page(at: Self.now.adding(seconds: RepositorySigner.onlineSeconds))
    #expect(
      html.contains("class=\"standing bad\"") && html.contains("class=\"state bad\">signatures expired<"))
  }

  @Test func `a publisher that no longer looks is missed, by its own rhythm`() {
    for (every, seconds, isMissed) in [(2, 450, false), (2, 451, true), (120, 600, false), (120, 601, true)] {
      let html = page({ $0.checkSeconds = every }, at: Self.now.adding(seconds: seconds))
      #expect(html.contains("Does it still run?") == isMissed, "\(every), \(seconds)")
    }
    // Of a timer nobody knows when it should have come, but for the day and two hours that monitors give it.
    for (hours, isMissed) in [(25, false), (27, true)] {
      #expect(page(at: Self.now.adding(seconds: hours * 3600)).contains("Does it still run?") == isMissed)
    }
  }

  @Test func `next snapshots are told with their zone`() throws {
    let (first, second) = (Self.now.adding(seconds: 60), Self.now.adding(days: 1))
    let clock = try ZoneClock("Europe/Berlin")
    let html = page {
      $0.upcoming = UpcomingSnapshots(
        due: nil, calendarTimes: [first, second], clock: clock, jitterSeconds: 0)
    }
    #expect(html.contains("datetime=\"\(first.text)\"") && html.contains("datetime=\"\(second.text)\""))
    let shown = clock.text(first).suffix(19)
    #expect(html.contains(", which is \(shown)</span>") && shown.hasSuffix(" Europe/Berlin"))
    let due = page {
      $0.upcoming = UpcomingSnapshots(due: second, calendarTimes: [], clock: nil, jitterSeconds: 0)
    }
    #expect(due.contains("Next snapshot") && due.contains("datetime=\"\(second.text)\""))
    #expect(!page().contains("Next snapshot"))
  }

  @Test func `builds are bars by time, outcome and duration, the same in a table, and only the newest`() {
    let outcomes: [StepOutcome] = [.published, .failed, .rolledBack, .refused]
    let html = page { facts in
      facts.steps = (0..<100).map { step(outcomes[$0 % 4], $0) }
    }
    let rows = html.ranges(of: "<rect class=").count
    #expect(rows == PageLimits.builds)
    #expect(html.ranges(of: "<rect class=\"bad\"").count == PageLimits.builds / 2)
    #expect(
      html.contains("10 published, 10 rolled back, 10 refused, 10 failed; the longest took 3.9\u{A0}s."))
    // The newest bar is the last, the oldest the highest.
    #expect(html.contains("x=\"0\" y=\"0\" width=\"8\" height=\"40\""))
    #expect(html.contains("x=\"390\" y=\"34\" width=\"8\" height=\"6\""))
    #expect(html.contains("Rows: from 941 to 1\u{202F}000"))
  }

  @Test func `a curve stays within its frame, however huge the numbers, and is left out where it is flat`() {
    for values in [[5, 5, 6], [0, Int.max], [Int.max, 0, 7]] {
      let html = page { facts in
        facts.steps = values.enumerated().map { place, rows in
          var step = step(.published, place)
          step.rows = rows
          return step
        }
      }
      let points = html.firstRange(of: "polyline points=\"").map {
        html[$0.upperBound...].prefix { $0 != "\"" }
      }
      let numbers = (points ?? "").split { $0 == " " || $0 == "," }.compactMap { Int($0) }
      #expect(
        numbers.count == 2 * values.count && numbers.allSatisfy { (0...200).contains($0) }, "\(numbers)")
    }
    #expect(!page().contains("<polyline"))
    let flat = page { facts in
      facts.steps = (0..<3).map { place in
        var step = step(.published, place)
        step.rows = 5
        return step
      }
    }
    #expect(!flat.contains("<polyline"))
  }

  @Test func `tables come with rows, keys and schema, and what is too much is counted`() {
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
    #expect(html.utf8.count < PageLimits.sectionBytes)
  }

  @Test func `numbers that nobody vouches for may be as large as they like`() {
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

  @Test func `a page of one dataset with a long history is at most 60 kB with all that belongs to it`() throws
  {
    let html = page { facts in
      facts.steps = (0..<100).map { step(.published, $0) }
      facts.tables = (0..<12).map { place in
        let columns = (0..<8).map { SeriesFacts.Column(name: "column_\($0)", type: "TEXT", isKey: $0 == 0) }
        let sql = columns.map { "\($0.name) TEXT NOT NULL" }.joined(separator: ", ")
        return .init(name: "table_\(place)", rows: 1000, columns: columns, sql: sql)
      }
    }
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let files = try ["index.html", "style.css", "app.js", "icon.svg"].map { name in
      try DurableFile.read(package.appending(path: "Public/\(name)").path, limit: 100_000).count
    }
    #expect(html.utf8.count + files.reduce(0, +) <= 60_000, "\(html.utf8.count) and \(files)")
  }
}
