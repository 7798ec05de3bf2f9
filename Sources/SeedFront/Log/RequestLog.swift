import SeedFormat
import SeedHTTP
import SeedPublication
import SeedSystem

package enum RequestLog: String, Hashable, Sendable, CaseIterable {
  /// Metrics count them nevertheless.
  case none
  /// Rejected, failed and interrupted requests.
  case errors
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
  /// Describes one request with its response. ``LogFormat`` escapes the target.
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
