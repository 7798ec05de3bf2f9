import SeedClient
import SeedFormat
import SeedHTTP
import SeedPublication
import SeedSystem

import struct Foundation.URL

struct ReadyProbe: Sendable {
  let server: URL
  let limit: Duration

  static let usualSeconds = 5
  static let secondsAllowed = 1...300
  private static let longestAnswer = 1 << 20

  func ask() async -> Readiness {
    let answer = Mutex((status: 0, body: [UInt8]()))
    let receiver = ResponseReceiver { head in
      answer.withLock { $0.status = head.status }
    } body: { bytes in
      answer.withLock { if $0.body.count < Self.longestAnswer { $0.body += bytes } }
    }
    let transport = URLSessionTransport(userAgent: "Seedbank/\(Release.version) (ready)")
    do {
      try await within(limit) {
        try await transport.send(TransportRequest(server.appending(path: "readyz")), to: receiver)
      }
    } catch {
      return Readiness(failure: error, limit: limit)
    }
    let (status, body) = answer.withLock(\.self)
    return Readiness(status: status, body: body)
  }

  private func within(_ limit: Duration, _ body: @escaping @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await body() }
      group.addTask {
        try await Task.sleep(for: limit)
        throw TooLate()
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  fileprivate struct TooLate: Error {}
}

/// A front's answer, or the reason for its absence.
struct Readiness: Hashable {
  let status: Int?
  /// Nil if ready. Continues a sentence after "is not ready: ".
  let obstacle: String?

  init(status: Int, body: [UInt8]) {
    self.status = status
    let said = (try? JSONValue(parsing: body)) ?? .null
    obstacle = status == 200 ? nil : Self.reason(status, said)
  }

  init(failure: any Error, limit: Duration) {
    status = nil
    obstacle =
      if failure is ReadyProbe.TooLate {
        "it has not answered within \(TimeSpan(limit))"
      } else {
        "\(failure); start it with 'seedbank run' or 'seedbank serve', or name its address"
      }
  }

  private static func reason(_ status: Int, _ said: JSONValue) -> String {
    if let error = said["error"]?.string { return error.clipped }
    guard let series = said["series"]?.elements else {
      return "status \(status) came instead of 200; is this a front's address?"
    }
    let lacking = series.filter { $0["snapshot"] == nil }.map(name)
    if series.isEmpty { return "nothing is published; run 'seedbank regenerate'" }
    return "\(lacking.joined(separator: ", ")): no snapshot can be served; run 'seedbank verify'"
  }

  private static func name(_ series: JSONValue) -> String {
    "\(series["dataset"]?.string?.clipped ?? "a dataset"), series \(series["major"]?.integer ?? 0)"
  }
}

extension HTTPServerConfiguration {
  /// The front's address on this machine; nil if the port is dynamic.
  var ownAddress: URL? {
    guard port != 0 else { return nil }
    // A wildcard address includes the loopback address; `::` accepts IPv4 too.
    let reached = ["0.0.0.0", "::"].contains(host) ? "127.0.0.1" : host
    return URL(string: "http://\(reached.contains(":") ? "[\(reached)]" : reached):\(port)")
  }
}
