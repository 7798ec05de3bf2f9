import SeedDatabase
package import SeedFormat
package import SeedHTTP
import SeedSystem
package import SeedTrust

internal import class Foundation.Thread

/// What a front serves, and where it listens.
package struct FrontConfiguration: Sendable {
  /// The publication. A publisher in the same process shares its value, so that each change is verified once.
  package var publication: PublicationDirectory
  /// The web page's folder; without one there is no page.
  package var pages: String?
  package var http: HTTPServerConfiguration
  /// A publisher in this process says when it published; other processes are looked for less often then.
  package var hasPublisher = false
  /// How the looks go where the publication is a copy that is kept here; `nil` elsewhere.
  package var follow: FollowProgress?
  /// Which requests are logged.
  package var requests = RequestLog.none
  /// Takes messages for the operator, on any thread.
  package var report: @Sendable (LogRecord) -> Void

  package init(
    publication: String, pages: String? = nil, http: HTTPServerConfiguration = HTTPServerConfiguration(),
    report: @escaping @Sendable (LogRecord) -> Void = { _ in }
  ) {
    self.publication = PublicationDirectory(publication)
    (self.pages, self.http, self.report) = (pages, http, report)
  }
}

/// A running server over a publication. It reads published files and holds no key.
package final class Front: Sendable {
  /// Publishing in the same process counts its steps there as well.
  package let metrics = FrontMetrics()
  /// Whether it serves a web page.
  package let hasPage: Bool
  private let source: CatalogSource
  private let server: HTTPServer
  private let timers: [RepeatingTimer]

  /// Loads the publication and answers from here on. Without a publication it starts as well, and is not ready until
  /// there is one.
  package init(_ configuration: FrontConfiguration) throws {
    let log = OperatorLog(configuration.report)
    let source = CatalogSource(configuration.publication, following: configuration.follow, log: log)
    let pages = try configuration.pages.map { path throws(FileError) in try StaticPages(folder: path) }
    let router = Router(pages: pages ?? StaticPages(), log: log, metrics: metrics)
    let server = try HTTPServer(configuration: configuration.http(metrics, source)) { request in
      router.respond(to: request, in: source.current())
    }
    metrics.watch(server.load, behindProxies: !configuration.http.trustedProxies.isEmpty)
    source.whenChanged(server.forgetAnswers)
    // Who opens the page right after the start sees all of it.
    source.lookAtFacts()
    let forgetReplacedFiles = server.forgetReplacedFiles
    // The router never looks for changes: most requests get a kept response, and never reach it.
    timers = [
      RepeatingTimer(milliseconds: configuration.lookMilliseconds) { [weak source] in source?.look() },
      RepeatingTimer(milliseconds: FrontLimits.slowLookMilliseconds) { [weak source, metrics] in
        metrics.noteLooks(at: .now())
        forgetReplacedFiles()
        source?.lookAtFacts()
        source?.checkStanding(at: .now())
      },
    ]
    (self.source, self.server, hasPage) = (source, server, pages != nil)
    for problem in pages?.problems ?? [] { configuration.report(LogRecord(.warning, problem)) }
    warnOfShortage(configuration)
  }

  private func warnOfShortage(_ configuration: FrontConfiguration) {
    let wanted = configuration.http.connectionLimit
    guard server.connectionLimit < wanted else { return }
    let record = LogRecord(
      .warning,
      "This process may not open enough files for \(wanted) connections. There will be at most "
        + "\(server.connectionLimit). Raise the hard limit (ulimit -Hn, LimitNOFILE=) or lower "
        + "http.connectionLimit.")
    configuration.report(record)
  }

  /// The address that it listens on.
  package var host: String { server.host }

  /// The port that it listens on; where 0 was configured, the one that the system chose.
  package var port: UInt16 { server.port }

  /// How many series are served.
  package var seriesCount: Int { source.current().catalog?.allSeries.count ?? 0 }

  /// The series that a rollback holds.
  package var holds: [Series: SeriesHold] {
    (source.current().catalog?.allSeries ?? []).reduce(into: [:]) { holds, metadata in
      holds[metadata.series] = metadata.state.hold
    }
  }

  /// Serves at once what this process just published. Other processes' publications are noticed by themselves.
  package func reload() throws { try source.reload() }

  /// Announces the end at `/readyz`, and goes on; see `HTTPServer.drain`.
  package func drain() { server.drain() }

  /// Drains for a while, then ends the front, and blocks; see `HTTPServer.stop`. Returns how many requests were cut off.
  @discardableResult
  package func stop(drain: Duration = .zero, gracePeriod: Duration = .seconds(5)) -> Int {
    self.drain()
    if drain > .zero { Thread.sleep(forTimeInterval: drain / .seconds(1)) }
    return server.stop(gracePeriod: gracePeriod)
  }
}

extension FrontConfiguration {
  fileprivate var lookMilliseconds: Int {
    hasPublisher ? FrontLimits.lookBesidePublisherMilliseconds : FrontLimits.lookMilliseconds
  }

  fileprivate func http(_ metrics: FrontMetrics, _ source: CatalogSource) -> HTTPServerConfiguration {
    var http = http
    http.observe = requests.observer(report)
    http.finish = { Router.finished($0, for: $1) }
    http.measure = { metrics.count($0) }
    http.labelAgent = { agent in
      metrics.label(ofAgent: agent) { dataset, model in source.publishes(dataset, model) }
    }
    return http
  }
}
