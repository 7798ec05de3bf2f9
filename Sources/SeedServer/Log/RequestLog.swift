import SeedFormat
import SeedHTTP
import SeedSystem

/// Which requests are written to the log.
package enum RequestLog: String, Hashable, Sendable, CaseIterable {
  /// None of them; the metrics count them all the same.
  case none
  /// Those that were refused, failed, or broken off.
  case errors
  /// All of them.
  case all

  func observer(_ report: @escaping @Sendable (LogRecord) -> Void) -> (@Sendable (HTTPExchange) -> Void)? {
    switch self {
    case .none: nil
    case .all: { report(LogRecord($0)) }
    case .errors:
      { exchange in
        let measurement = exchange.measurement
        if measurement.status >= 400 || !measurement.isComplete { report(LogRecord(exchange)) }
      }
    }
  }
}

extension LogRecord {
  /// One request and its answer. The target stands as it came: ``LogFormat`` escapes it.
  init(_ exchange: HTTPExchange) {
    let (request, measurement) = (exchange.request, exchange.measurement)
    let target = request.query.map { "\(request.path)?\($0)" } ?? request.path
    var fields = [
      JSONMember("request", .string(request.idText)), JSONMember("address", .string(request.remoteAddress)),
      JSONMember("method", .string(request.method.name)), JSONMember("target", .string(target)),
      JSONMember("status", JSONValue(measurement.status)),
      JSONMember("bytes", .integer(measurement.sentBytes)),
      JSONMember("milliseconds", JSONValue(Int(measurement.nanoseconds / 1_000_000))),
      JSONMember("complete", .bool(measurement.isComplete)),
    ]
    if let agent = request.headers["User-Agent"] { fields.append(JSONMember("agent", .string(agent))) }
    self.init(measurement.status >= 500 ? .warning : .info, "request", fields)
  }
}
