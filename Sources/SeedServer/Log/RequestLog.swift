import SeedFormat
import SeedHTTP

/// Which requests the log tells of.
package enum RequestLog: String, Hashable, Sendable, CaseIterable {
  /// None of them; the metrics count them all the same.
  case none
  /// Those that were refused, failed, or broken off.
  case errors
  /// All of them.
  case all

  /// What a server has to be given, so that `report` is told; nil if it never is.
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
  /// One request and what became of it. The target stands as it came: whoever writes the line escapes it.
  init(_ exchange: HTTPExchange) {
    let (request, measurement) = (exchange.request, exchange.measurement)
    let target = request.query.map { "\(request.path)?\($0)" } ?? request.path
    var fields = [
      JSONMember("request", .string(request.idText)), JSONMember("address", .string(request.remoteAddress)),
      JSONMember("method", .string(request.method.name)), JSONMember("target", .string(target)),
      JSONMember("status", .number(measurement.status)), JSONMember("bytes", .integer(measurement.bodyBytes)),
      JSONMember("milliseconds", .number(Int(measurement.nanoseconds / 1_000_000))),
      JSONMember("complete", .bool(measurement.isComplete)),
    ]
    if let agent = request.headers["User-Agent"] { fields.append(JSONMember("agent", .string(agent))) }
    self.init(measurement.status >= 500 ? .warning : .info, "request", fields)
  }
}
