import SeedDatabase
import SeedFormat
package import SeedHTTP
package import SeedPublication
import SeedSystem
import SeedTrust

internal import class Foundation.Thread

package struct FrontConfiguration: Sendable {
  /// Share this value with a publisher in the same process, so that each change is verified once.
  package var publication: PublicationDirectory
  package var pages: String?
  package var http: HTTPServerConfiguration
  package var follow: FollowProgress?
  package var requests = RequestLog.none
  /// How long an object is served after it was unlisted, if its file exists.
  package var objectGraceSeconds = FrontLimits.usualObjectGraceSeconds
  /// Receives messages for the operator on any thread.
  package var report: @Sendable (LogRecord) -> Void

  package init(
    publication: String, pages: String? = nil, http: HTTPServerConfiguration = HTTPServerConfiguration(),
    report: @escaping @Sendable (LogRecord) -> Void = { _ in }
  ) {
    self.publication = PublicationDirectory(publication)
    (self.pages, self.http, self.report) = (pages, http, report)
  }
}

package final class Front: Sendable {
  package let hasPage: Bool
  private let source: CatalogSource
  private let server: HTTPServer
  private let timers: [RepeatingTimer]

  /// Loads the publication and starts to serve. Starts even without a publication, but is then not ready.
  package init(_ configuration: FrontConfiguration) throws {
    let (log, metrics) = (OperatorLog(configuration.report), FrontMetrics())
    let source = CatalogSource(
      configuration.publication, following: configuration.follow,
      objectGraceSeconds: configuration.objectGraceSeconds, log: log)
    let pages = try configuration.pages.map { path throws(FileError) in try StaticPages(folder: path) }
    let router = Router(pages: pages ?? StaticPages(), log: log, metrics: metrics)
    let server = try HTTPServer(configuration: configuration.http(metrics, source)) { request in
      router.respond(to: request, in: source.current())
    }
    metrics.watch(server.load, behindProxies: !configuration.http.trustedProxies.isEmpty)
    let forgetResponses = server.forgetResponses
    source.whenChanged(forgetResponses)
    // Loads the facts at once, so the first page is complete.
    source.lookAtFacts()
    // Checks run on timers, because most requests get a cached response and never reach the router.
    timers = [
      RepeatingTimer(milliseconds: FrontLimits.lookMilliseconds) { [weak source] in source?.look() },
      RepeatingTimer(milliseconds: FrontLimits.slowLookMilliseconds) { [weak source, metrics] in
        metrics.noteLooks(at: .now)
        // A file may have been replaced, for example by a restored backup.
        forgetResponses()
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
      "This process is not allowed to open enough files for \(wanted) connections, so it accepts at most "
        + "\(server.connectionLimit). Raise the hard limit (ulimit -Hn, LimitNOFILE=) or lower "
        + "http.connectionLimit.")
    configuration.report(record)
  }

  package var host: String { server.host }

  /// The listening port, chosen by the system if 0 was configured.
  package var port: UInt16 { server.port }

  package var seriesCount: Int { source.current().catalog?.allSeries.count ?? 0 }

  /// Serves a change made by this process immediately; a timer detects changes made by other processes.
  package func reload() throws { try source.reload() }

  /// Reports the shutdown at `/readyz` but continues to serve; see `HTTPServer.drain`.
  package func drain() { server.drain() }

  /// Drains, then stops the front, and blocks; see `HTTPServer.stop`. Returns the number of interrupted requests.
  @discardableResult
  package func stop(drain: Duration = .zero, gracePeriod: Duration = .seconds(5)) -> Int {
    self.drain()
    if drain > .zero { Thread.sleep(forTimeInterval: drain / .seconds(1)) }
    return server.stop(gracePeriod: gracePeriod)
  }
}

extension FrontConfiguration {
  fileprivate func http(_ metrics: FrontMetrics, _ source: CatalogSource) -> HTTPServerConfiguration {
    var http = http
    http.observe = requests.observer(report)
    http.finish = { Router.finished($0, for: $1) }
    http.measure = { metrics.count($0) }
    http.labelAgent = { agent in FrontMetrics.client(agent, published: source.publishes) }
    return http
  }
}

package enum RequestLog: String, Hashable, Sendable, CaseIterable {
  /// Logs no requests. Metrics still count them.
  case none
  case errors
  case all

  func observer(
    _ report: @escaping @Sendable (LogRecord) -> Void
  ) -> (@Sendable (HTTPRequest, HTTPMeasurement) -> Void)? {
    guard self != .none else { return nil }
    return { request, measurement in
      let isRoutine = (measurement.mark as? AnswerMark)?.isRoutine == true
      let isError = measurement.status >= 400 && !isRoutine || !measurement.isComplete
      if self == .all || isError { report(LogRecord(request, measurement)) }
    }
  }
}

extension LogRecord {
  /// Describes one request with its response. ``LogFormat`` escapes the target.
  init(_ request: HTTPRequest, _ measurement: HTTPMeasurement) {
    let target = request.query.map { "\(request.path)?\($0)" } ?? request.path
    let fields: [JSONMember] = .init(
      ("request", .string(request.idText)), ("address", .string(request.remoteAddress)),
      ("method", .string(request.method.name)), ("target", .string(target)),
      ("status", JSONValue(measurement.status)), ("bytes", .integer(measurement.sentBytes)),
      ("milliseconds", JSONValue(Int(measurement.nanoseconds / 1_000_000))),
      ("complete", .bool(measurement.isComplete)),
      ("agent", request.headers["User-Agent"].map(JSONValue.string)))
    self.init(measurement.status >= 500 ? .warning : .info, "request", fields)
  }
}
