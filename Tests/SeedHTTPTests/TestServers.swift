import Foundation
import SeedFormat
import SeedHTTP
import Support

/// A server on a free port that echoes requests.
func startServer(_ change: (inout HTTPServerConfiguration) -> Void = { _ in }) throws -> HTTPServer {
  var configuration = HTTPServerConfiguration()
  configuration.timeouts.idleSeconds = 60
  change(&configuration)
  return try HTTPServer(configuration: configuration, handler: answer)
}

/// A server on a free port with this handler.
func serve(_ handler: @escaping @Sendable (HTTPRequest) -> HTTPResponse) throws -> HTTPServer {
  try HTTPServer(configuration: HTTPServerConfiguration(), handler: handler)
}

/// Echoes the request; `/missing` is not found.
@Sendable func answer(_ request: HTTPRequest) -> HTTPResponse {
  guard request.path != "/missing" else {
    return HTTPResponse(Problem(.notFound, "there is \"nothing\"\n"))
  }
  let text = "\(request.method.name) \(request.path) \(request.query ?? "-") \(request.remoteAddress)"
  return HTTPResponse(status: 200, headers: ["Content-Type": "text/plain"], body: .bytes(Array(text.utf8)))
}

/// Creates a temporary directory, and removes it after `body`.
func withTemporaryDirectory(_ body: (URL) throws -> Void) throws {
  let directory = FileManager.default.temporaryDirectory.appending(path: "seedhttp-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: directory) }
  try body(directory)
}

func openDescriptors() throws -> Int {
  try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
}
