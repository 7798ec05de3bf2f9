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

  @Test func `a rate covers the last fifteen minutes and needs thirty seconds of data`() {
    let start = ContinuousClock.now
    var rate = LookRate<Int>()
    rate.note([1: 100], at: start)
    #expect(rate.perSecond == [:])
    rate.note([1: 200, 2: 60], at: start + .seconds(20))
    #expect(rate.perSecond == [:])
    rate.note([1: 400, 2: 60], at: start + .seconds(60))
    #expect(rate.perSecond == [1: 5, 2: 1])
    // The first kind has stopped polling.
    for place in 1...40 { rate.note([1: 400, 2: 60 + 30 * place], at: start + .seconds(60 + 30 * place)) }
    #expect(rate.perSecond == [2: 1])
  }

  /// Metrics after `looks` polls of library clients and as many of other clients in one minute.
  private func metrics(looks: Int, behindProxies isProxied: Bool = false) -> FrontMetrics {
    let metrics = FrontMetrics()
    metrics.watch({ HTTPLoad() }, behindProxies: isProxied)
    let agent = Array("Seedbank/0.1.0 (transit; 2.1)".utf8)
    let client = agent.withUnsafeBufferPointer { FrontMetrics.client($0) { _, _ in true } }
    let start = ContinuousClock.now
    metrics.noteLooks(at: start)
    for kind in [AnswerMark.Kind.timestamp, .metadata] {
      for agent in [client, nil] {
        for _ in 0..<looks {
          metrics.count(
            HTTPMeasurement(
              mark: AnswerMark(kind), status: 200, bodyBytes: 400, isComplete: true, agent: agent,
              nanoseconds: 1))
        }
      }
    }
    metrics.noteLooks(at: start + .seconds(60))
    return metrics
  }

  @Test func `clients are estimated from polls and interval, but not behind a proxy`() throws {
    let view = CatalogView(try FrontPublication.usualCatalog.get())
    func html(_ metrics: FrontMetrics) -> String {
      let content = PageContent(view: view, clients: metrics.clientCounts(since: Self.now), now: Self.now)
      return String(decoding: content.html.bytes, as: UTF8.self)
    }
    let poll = try #require(view.catalog?.allSeries.first).state.pollSeconds
    let page = String(decoding: metrics(looks: 300).page(view), as: UTF8.self)
    let line = #"seedbank_estimated_clients{dataset="transit",model="2.1"} \#(5 * poll)"#
    #expect(page.contains(line), "\(page)")
    #expect(page.contains(#"seedbank_requests_total{kind="timestamp",status="2xx"} 600"#))
    let hidden = String(
      decoding: metrics(looks: 300, behindProxies: true).page(view), as: UTF8.self)
    #expect(!hidden.contains("seedbank_estimated_clients{"))
    #expect(html(metrics(looks: 300)).contains("There are about <data value=\"\(5 * poll)\">"))
    #expect(html(metrics(looks: 300, behindProxies: true)).contains("only the proxy can count clients"))
    #expect(!html(FrontMetrics()).contains("There are about"))
  }
}
