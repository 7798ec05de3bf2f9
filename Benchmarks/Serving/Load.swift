import Foundation

/// A target, its client, and the required ratios.
struct Load {
  enum Client { case wrk, dropping }

  let name: String
  var client = Client.wrk
  let path: String
  /// The path of the same bytes at nginx.
  let baselinePath: String
  let connections: Int
  let headers: [String]
  /// Minimum ratio to nginx's rate.
  let bar: Double
  /// Maximum ratio to nginx's processor time for a request.
  let processorBar: Double

  static func ask(_ server: String, _ path: String, _ load: Load, seconds: Int) throws -> LoadResult {
    if load.client == .dropping {
      return try DroppingClient(server, path, connections: load.connections).run(seconds: seconds)
    }
    let arguments =
      ["-t1", "-c\(load.connections)", "-d\(seconds)s", "--timeout", "30s", "--latency"]
      + load.headers.flatMap { ["-H", $0] } + [server + path]
    return try LoadResult(try Tool.output(of: "wrk", arguments))
  }

  /// wrk's notation of times: `512.00us`, `1.25ms`, `3.01s`.
  static func milliseconds(_ text: String) -> Double {
    let number = Double(text.prefix { $0.isNumber || $0 == "." }) ?? .infinity
    return text.hasSuffix("us") ? number / 1000 : text.hasSuffix("ms") ? number : number * 1000
  }
}

struct LoadResult {
  let requestsPerSecond: Double
  let median: String
  let p99: String

  /// Durations of the downloads that ended within `seconds`.
  init(milliseconds: [Double], seconds: Double) {
    let sorted = milliseconds.sorted()
    func quantile(_ share: Double) -> String {
      sorted.isEmpty ? "" : String(format: "%.2fms", sorted[Int(share * Double(sorted.count - 1))])
    }
    requestsPerSecond = Double(sorted.count) / seconds
    (median, p99) = (quantile(0.5), quantile(0.99))
  }

  /// Parses wrk's output.
  init(_ report: String) throws {
    let words = report.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    func value(_ name: String) throws -> String {
      guard let line = words.first(where: { $0.first == name }), line.count > 1 else {
        throw BenchmarkError.child("wrk says nothing of \(name): \(report)")
      }
      return line[1]
    }
    guard !report.contains("Non-2xx"), !report.contains("Socket errors") else {
      throw BenchmarkError.child("wrk met errors: \(report)")
    }
    guard let rate = Double(try value("Requests/sec:")) else { throw BenchmarkError.child("wrk: \(report)") }
    requestsPerSecond = rate
    (median, p99) = (try value("50%"), try value("99%"))
  }
}
