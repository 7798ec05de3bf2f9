import Foundation
import Support

/// A static host that reads a folder at each request and can simulate failures.
final class FolderHost: Sendable {
  enum Trouble: Sendable {
    case none
    /// Answers 404 for paths that contain this text.
    case missing(String)
    /// Sends half of a file and closes the connection.
    case cut(String)
    case damaged(String)
    /// Never answers.
    case silent
    /// Answers 503 with a Retry-After that is too long for one update.
    case overloaded
  }

  private let server: RawServer
  private let trouble = Shared(Trouble.none)
  private let asked = Shared<[RawRequest]>([])

  init(_ folder: String) throws {
    server = try RawServer { [trouble, asked] request, connection in
      asked.withLock { $0.append(request) }
      let content = (try? Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(request.path)"))).map(Array.init)
      let exchange = HostileExchange(
        request: request, connection: connection, files: content.map { [request.path: $0] } ?? [:], count: 1,
        clock: TestClock())
      return Self.answer(exchange, trouble.withLock { $0 })
    }
  }

  private static func answer(_ exchange: HostileExchange, _ trouble: Trouble) -> Bool {
    let path = exchange.request.path
    switch trouble {
    case .missing(let part) where path.contains(part): return exchange.status(404)
    case .cut(let part) where path.contains(part):
      exchange.head("200 OK", length: exchange.content.count, "ETag: \(exchange.etag)")
      exchange.connection.send(exchange.content.prefix(exchange.content.count / 2))
      return false
    case .damaged(let part) where path.contains(part):
      let bytes = exchange.content.dropLast() + [(exchange.content.last ?? 0) ^ 1]
      return exchange.head("200 OK", length: bytes.count) && exchange.connection.send(bytes)
    case .silent:
      exchange.connection.untilEnd {}
      return false
    case .overloaded: return exchange.status(503, "Retry-After: 3600")
    default: return exchange.serve()
    }
  }

  var address: String { "http://127.0.0.1:\(server.port)" }

  func begin(_ new: Trouble) { trouble.withLock { $0 = new } }

  func takeRequests() -> [RawRequest] {
    asked.withLock { asked in
      defer { asked = [] }
      return asked
    }
  }

  func stop() { server.stop() }
}
