package import Foundation
import SeedDatabase
import SeedFormat
import SeedTrust

/// A server that misbehaves in one way over real connections, and is otherwise a static host.
package final class HostileRepository: Sendable {
  private let server: RawServer
  private let isReformed: Shared<Bool>

  /// `files`: the publication.
  package init(_ files: [String: [UInt8]], _ behaviour: HostileBehaviour, _ clock: TestClock) throws {
    let (counted, isReformed) = (Shared<[String]>([]), Shared(false))
    server = try RawServer { request, connection in
      let count = counted.withLock { requests in
        requests.append(request.path)
        return requests.count { behaviour.concerns($0) }
      }
      let exchange = HostileExchange(
        request: request, connection: connection, files: files, count: count, clock: clock)
      let isHostile = behaviour.concerns(request.path) && count <= behaviour.times
      guard isHostile, !isReformed.withLock({ $0 }) else { return exchange.serve() }
      return behaviour.answer(exchange)
    }
    self.isReformed = isReformed
  }

  package var url: URL { URL(string: "http://127.0.0.1:\(server.port)")! }

  /// Ends the misbehaviour: from now on it is a static host.
  package func reform() { isReformed.withLock { $0 = true } }

  package func stop() { server.stop() }
}

/// One kind of misbehaviour.
package struct HostileBehaviour: Sendable {
  package let name: String
  let part: String
  let times: Int
  let answer: @Sendable (HostileExchange) -> Bool

  /// - Parameters:
  ///   - name: The problem.
  ///   - part: The behaviour applies to paths that contain this.
  ///   - times: The number of requests to which it applies; later ones are served.
  ///   - answer: Sends a response; returns whether to keep the connection.
  package init(
    _ name: String, at part: String, times: Int = .max,
    _ answer: @escaping @Sendable (HostileExchange) -> Bool
  ) {
    self.name = name
    self.part = part
    self.times = times
    self.answer = answer
  }

  func concerns(_ path: String) -> Bool { part.isEmpty || path.contains(part) }
}

package struct HostileExchange: Sendable {
  package let request: RawRequest
  package let connection: RawConnection
  package let files: [String: [UInt8]]
  /// The number of matching requests so far, including this one.
  package let count: Int
  package let clock: TestClock

  package init(
    request: RawRequest, connection: RawConnection, files: [String: [UInt8]], count: Int, clock: TestClock
  ) {
    (self.request, self.connection, self.files) = (request, connection, files)
    (self.count, self.clock) = (count, clock)
  }

  package var content: [UInt8] { files[request.path] ?? [] }
  package var etag: String { "\"\(SHA256Digest.of(content).hex)\"" }

  /// Responds as a static host.
  package func serve() -> Bool {
    guard files[request.path] != nil else { return status(404) }
    if let range = request.range, request["If-Range"] == nil || request["If-Range"] == etag {
      guard range.lowerBound < content.count else { return status(416) }
      return part(range.clamped(to: 0..<content.count))
    }
    return head("200 OK", length: content.count, "ETag: \(etag)") && connection.send(content)
  }

  /// Sends a range, optionally with false headers or bytes.
  package func part(
    _ range: Range<Int>, saying said: String? = nil, etag: String? = nil, bytes: [UInt8]? = nil
  ) -> Bool {
    let said = said ?? "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.count)"
    let bytes = bytes ?? Array(content[range])
    return head(
      "206 Partial Content", length: bytes.count, "Content-Range: \(said)", "ETag: \(etag ?? self.etag)")
      && connection.send(bytes)
  }

  package func status(_ status: Int, _ fields: String...) -> Bool {
    let body = "no\n"
    let lines = ["HTTP/1.1 \(status) Status", "Content-Length: \(body.utf8.count)"] + fields
    return connection.send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
  }

  @discardableResult
  package func head(_ status: String, length: Int?, _ fields: String...) -> Bool {
    let lines = ["HTTP/1.1 \(status)"] + (length.map { ["Content-Length: \($0)"] } ?? []) + fields
    return connection.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
  }

  /// Sends until the client disconnects.
  package func sendForever(_ bytes: [UInt8]) -> Bool {
    while connection.send(bytes) {}
    return false
  }

  /// Sends nothing while time passes, until the client disconnects.
  package func stall() -> Bool {
    connection.untilEnd { clock.letTimePass() }
    return false
  }
}
