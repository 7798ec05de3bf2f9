import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct Repository: Sendable {
  private let base: String
  private let session: URLSession

  init(base: String) {
    self.base = base.hasSuffix("/") ? base : base + "/"
    session = URLSession(configuration: .ephemeral)
  }

  /// A file by its percent-encoded path, or `nil` if the repository does not have it.
  func file(_ path: String, limit: Int) async throws -> [UInt8]? {
    guard let url = URL(string: base + path) else { throw UsageError("\(base)\(path) is not a URL") }
    var request = URLRequest(url: url)
    request.cachePolicy = .reloadIgnoringLocalCacheData
    let (body, response) = try await session.data(for: request)
    guard let response = response as? HTTPURLResponse else { throw UsageError("\(url) is not for HTTP") }
    if response.statusCode == 404 { return nil }
    guard response.statusCode == 200 else { throw AnswerError(url: url, problem: "\(response.statusCode)") }
    guard body.count <= limit else { throw AnswerError(url: url, problem: "more than \(limit) bytes") }
    return [UInt8](body)
  }
}

struct AnswerError: Error, CustomStringConvertible {
  let url: URL
  let problem: String

  var description: String { "\(url): \(problem)" }
}
