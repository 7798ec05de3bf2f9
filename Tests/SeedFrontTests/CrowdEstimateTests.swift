import SeedFormat
import SeedHTTP
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedFront

@Suite struct CrowdEstimateTests {
  private static let now = FrontPublication.start

  // MARK: Polls

  @Test func `a rate covers the last fifteen minutes and needs thirty seconds of data`() {
    var rate = LookRate()
    rate.note([1: 100], at: 1000)
    #expect(rate.perSecond == [:])
    rate.note([1: 200, 2: 60], at: 1020)
    #expect(rate.perSecond == [:])
    rate.note([1: 400, 2: 60], at: 1060)
    #expect(rate.perSecond == [1: 5, 2: 1])
    // The first kind polls no more.
    for second in 1...40 { rate.note([1: 400, 2: 60 + 30 * second], at: 1060 + 30 * second) }
    #expect(rate.perSecond == [2: 1])
    rate.note([1: 400, 2: 2000], at: 1000)
    #expect(rate.perSecond == [:])
  }

  /// Polls of library clients, of one client each minute.
  private func metrics(looks: Int, behindProxies isProxied: Bool = false) -> FrontMetrics {
    let metrics = FrontMetrics()
    metrics.watch({ HTTPLoad() }, behindProxies: isProxied)
    let agent = Array("Seedbank/0.1.0 (transit; 2.1)".utf8)
    let label = agent.withUnsafeBufferPointer { metrics.label(ofAgent: $0) { _, _ in true } }
    metrics.noteLooks(at: Self.now)
    for kind in [AnswerMark.Kind.timestamp, .metadata] {
      for agent in [label, 0] {
        for _ in 0..<looks {
          metrics.count(
            HTTPMeasurement(
              mark: AnswerMark(kind), status: 200, bodyBytes: 400, isComplete: true, agent: agent,
              nanoseconds: 1))
        }
      }
    }
    metrics.noteLooks(at: Self.now.adding(seconds: 60))
    return metrics
  }

  private func view(published intervals: [Int] = []) throws -> (FrontPublication, CatalogView) {
    let publication = try FrontPublication(history: ())
    var facts = SeriesFacts(
      FrontPublication.transit, writtenAt: Self.now,
      look: .init(good: Self.now, newest: .unchanged, newestAt: Self.now),
      upcoming: UpcomingSnapshots(due: nil, calendarTimes: [], clock: nil, jitterSeconds: 0))
    facts.steps = intervals.enumerated().map { number, ago in
      let at = Self.now.adding(seconds: -ago)
      var step = StepRecord(.published, of: FrontPublication.transit.dataset, at: at)
      (step.from, step.to) = (90 - number, 91 - number)
      return step
    }
    return (publication, CatalogView(try publication.catalog(), facts: [FrontPublication.transit: facts]))
  }

  @Test func `clients are estimated from polls and interval, but not behind a proxy`() throws {
    let (publication, view) = try view()
    defer { withExtendedLifetime(publication) {} }
    let poll = try #require(view.catalog?.allSeries.first).state.pollSeconds
    let page = String(decoding: metrics(looks: 300).page(view, now: 0), as: UTF8.self)
    let line = #"seedbank_estimated_clients{dataset="transit",model="2.1"} \#(5 * poll)"#
    #expect(page.contains(line), "\(page)")
    #expect(page.contains(#"seedbank_requests_total{kind="timestamp",status="2xx"} 600"#))
    let hidden = String(
      decoding: metrics(looks: 300, behindProxies: true).page(view, now: 0), as: UTF8.self)
    #expect(!hidden.contains("seedbank_estimated_clients{"))
  }

  @Test func `the page shows the estimated number of clients or refers to the proxy`() throws {
    let (publication, view) = try view()
    defer { withExtendedLifetime(publication) {} }
    func html(_ metrics: FrontMetrics) -> String {
      let content = PageContent(view: view, clients: metrics.clientCounts(since: Self.now), now: Self.now)
      return String(decoding: content.html.bytes, as: UTF8.self)
    }
    let poll = try #require(view.catalog?.allSeries.first).state.pollSeconds
    let count = PageSeries.rounded(Double(5 * poll))
    #expect(html(metrics(looks: 300)).contains("There are about <data value=\"\(count)\">"))
    #expect(html(metrics(looks: 300, behindProxies: true)).contains("Only the proxy in front can count"))
    #expect(!html(FrontMetrics()).contains("There are about"))
  }

  @Test(arguments: [(0.2, 1), (7.4, 7), (99, 99), (100, 100), (123, 120), (1_250, 1_300), (987_654, 990_000)])
  func `an estimate has two digits`(_ count: Double, _ shown: Int) {
    #expect(PageSeries.rounded(count) == shown)
  }

  // MARK: The poll interval

  @Test(arguments: [
    // Changes once a day.
    (86_400, 60, 1440.0, 3600), (86_400, 900, 96, nil), (86_400, 3600, 24, nil),
    // Changes once an hour, once a minute, once a month.
    (3600, 60, 60, nil), (3600, 2, 1800, 60), (60, 2, 30, nil), (30 * 86_400, 3600, 720, 86_400),
  ])
  func `a wasteful poll interval is reported with a better one`(
    _ change: Int, _ poll: Int, _ looks: Double, _ better: Int?
  ) {
    let rhythm = VersionRhythm(changeSeconds: change, pollSeconds: poll)
    #expect(rhythm.looksPerVersion == looks && rhythm.betterPollSeconds == better)
  }

  @Test func `the rhythm is derived from more than two versions`() throws {
    let hours = [1, 2, 3, 4].map { $0 * 24 * 3600 }
    let (publication, often) = try view(published: hours)
    let (other, seldom) = try view(published: Array(hours.prefix(2)))
    defer { withExtendedLifetime((publication, other)) {} }
    let facts = try #require(often.facts[FrontPublication.transit])
    let rhythm = try #require(VersionRhythm(facts, pollSeconds: 60, now: Self.now))
    #expect(rhythm.changeSeconds == 86_400)
    let metrics = FrontMetrics()
    func text(_ view: CatalogView) -> String {
      String(decoding: metrics.page(view, now: Self.now.secondsSinceEpoch), as: UTF8.self)
    }
    #expect(text(often).contains(#"seedbank_looks_per_version{series="transit/2"} "#))
    #expect(!text(seldom).contains("seedbank_looks_per_version{"))
    let content = PageContent(view: often, clients: metrics.clientCounts(since: Self.now), now: Self.now)
    let poll = try #require(often.catalog?.allSeries.first).state.pollSeconds
    let isTold = String(decoding: content.html.bytes, as: UTF8.self).contains("times for each new version")
    #expect(isTold == (VersionRhythm(changeSeconds: 86_400, pollSeconds: poll).betterPollSeconds != nil))
  }
}
