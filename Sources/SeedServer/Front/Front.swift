internal import Dispatch
import SeedDatabase
package import SeedHTTP
import SeedSystem
import SeedTrust

internal import class Foundation.Thread

/// What a front serves, and where it listens.
package struct FrontConfiguration: Sendable {
  /// The publication's folder.
  package var publication: String
  /// The web page's folder; without one there is no page.
  package var pages: String?
  /// Where the server listens and what it allows.
  package var http: HTTPServerConfiguration
  /// Which requests are told of.
  package var requests = RequestLog.none
  /// Takes what the operator should know, on any thread.
  package var report: @Sendable (LogRecord) -> Void

  /// A front over a publication; it says nothing to the operator unless someone listens.
  package init(
    publication: String, pages: String? = nil, http: HTTPServerConfiguration = HTTPServerConfiguration(),
    report: @escaping @Sendable (LogRecord) -> Void = { _ in }
  ) {
    self.publication = publication
    self.pages = pages
    self.http = http
    self.report = report
  }
}

/// A running server over a publication. It reads published files and holds no key.
package final class Front: Sendable {
  private let source: CatalogSource
  private let server: HTTPServer
  /// What is counted; publishing in the same process counts its builds there as well.
  package let metrics = FrontMetrics()
  private let serverWatch = ServerWatch()
  // Safe to be cancelled from any thread, though their type does not say so.
  private nonisolated(unsafe) let watches: [any DispatchSourceTimer]

  /// Loads what is published and answers from here on.
  ///
  /// Without a publication it starts as well, and is not ready until there is one.
  package init(_ configuration: FrontConfiguration) throws {
    let log = OperatorLog(configuration.report)
    let source = CatalogSource(PublicationDirectory(configuration.publication), log: log)
    let pages = try configuration.pages.map { path throws(FileError) in try StaticPages(folder: path) }
    let router = Router(
      pages: pages ?? StaticPages(), log: log, metrics: metrics,
      standing: { [serverWatch] in serverWatch.standing })
    server = try HTTPServer(configuration: configuration.http(metrics, source)) { request in
      router.respond(to: request, in: source.current())
    }
    serverWatch.begin(server)
    self.source = source
    hasPage = pages != nil
    source.whenChanged(server.forgetAnswers)
    watches = [
      Front.watch(every: FrontLimits.lookMilliseconds) { [weak source] in source?.check() },
      Front.watch(every: FrontLimits.fileLookMilliseconds, server.forgetReplacedFiles),
      Front.watch(every: FrontLimits.expiryLookMilliseconds) { [weak source] in
        source?.checkExpiry(at: .now())
      },
    ]
    for problem in pages?.problems ?? [] { configuration.report(LogRecord(.warning, problem)) }
    reportShortage(configuration)
  }

  /// Says so where the system allows fewer connections than were asked for.
  private func reportShortage(_ configuration: FrontConfiguration) {
    let wanted = configuration.http.connectionLimit
    guard server.connectionLimit < wanted else { return }
    let record = LogRecord(
      .warning,
      "The system allows this process too few open files for \(wanted) connections: there will be at most "
        + "\(server.connectionLimit). Raise the hard limit (ulimit -Hn, LimitNOFILE=) or lower "
        + "http.connectionLimit")
    configuration.report(record)
  }

  deinit { for watch in watches { watch.cancel() } }

  /// Looks for what other processes do to the publication: an answer that is used again asks nobody.
  private static func watch(
    every milliseconds: Int, _ look: @escaping @Sendable () -> Void
  ) -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "seedbank.catalog"))
    let period = DispatchTimeInterval.milliseconds(milliseconds)
    timer.schedule(deadline: .now() + period, repeating: period)
    timer.setEventHandler(handler: look)
    timer.resume()
    return timer
  }

  /// The address that it listens on.
  package var host: String { server.host }

  /// The port that it listens on: the one chosen, if 0 was asked for.
  package var port: UInt16 { server.port }

  /// Whether it serves a web page.
  package let hasPage: Bool

  /// Serves what was just published, at once. Other processes' publications are seen within a second.
  package func reload() throws { try source.reload() }

  /// Ends: `/readyz` says so at once, for the time of `drain` everything is still answered, then the answers
  /// under way get some time; see `HTTPServer.drain` and `HTTPServer.stop`. It blocks its caller.
  package func stop(drain: Duration = .zero, gracePeriod: Duration = .seconds(5)) {
    serverWatch.end()
    server.drain()
    if drain > .zero { Thread.sleep(forTimeInterval: drain / .seconds(1)) }
    server.stop(gracePeriod: gracePeriod)
  }
}

extension FrontConfiguration {
  /// The server's part, with measurements for the metrics.
  fileprivate func http(_ metrics: FrontMetrics, _ source: CatalogSource) -> HTTPServerConfiguration {
    var http = http
    http.observe = requests.observer(report)
    http.dress = { Router.dressed($0, for: $1) }
    http.measure = { metrics.count($0) }
    http.labelAgent = { agent in
      metrics.label(ofAgent: agent) { dataset, model in source.publishes(dataset, model) }
    }
    return http
  }
}
