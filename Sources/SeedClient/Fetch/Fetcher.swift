package import Foundation

struct Fetcher: Sendable {
  let server: ServerAddress
  let environment: Environment
  let timeouts: DownloadTimeouts
  let partial: PartialFolder
  var context = UpdateContext()

  /// Bytes of one part. Foundation on Linux gathers what arrives faster than it is taken, without a bound
  /// (and its `suspend()` starts the transfer anew), so a part is what may pile up in memory.
  static let partBytes = 4 * 1024 * 1024

  /// Calls `body` again where its failure may pass, as ``RetryRule`` says.
  func retrying<Result>(received: () -> Int, _ body: () async throws -> Result) async throws -> Result {
    var rule = RetryRule()
    while true {
      do {
        return try await body()
      } catch let error as TransportError {
        let wait = rule.wait(after: error, received: received(), chance: environment.chance())
        guard let wait else { throw error }
        context.count { $0.retries += 1 }
        try await environment.sleep(wait)
      }
    }
  }
}

extension Fetcher {
  init(_ server: ServerAddress, _ environment: Environment, _ layout: StoreLayout, _ options: SeedOptions) {
    self.init(
      server: server, environment: environment, timeouts: options.timeouts,
      partial: PartialFolder(layout.partial))
  }
}

/// The address of a publication, from which the URLs of its files follow.
package struct ServerAddress: Sendable, CustomStringConvertible {
  private let base: String

  private static let ports = 1...65_535

  /// The address of a publication; it may have a path, and any static host will do.
  package init(_ server: URL) throws(SeedError) {
    guard let scheme = server.scheme?.lowercased(), ["http", "https"].contains(scheme), server.host != nil,
      Self.ports.contains(server.port ?? Self.ports.lowerBound), server.query == nil, server.fragment == nil
    else {
      throw SeedError(
        .configuration,
        "server: expected an address such as https://seeds.example, found \(server.absoluteString)")
    }
    let text = server.absoluteString
    base = String(text.reversed().drop { $0 == "/" }.reversed())
  }

  /// The URL of a file of the publication, such as `metadata/timestamp.json`.
  package func url(_ path: String) throws(SeedError) -> URL {
    guard let url = URL(string: "\(base)/\(path)") else {
      throw SeedError(.configuration, "\(base)/\(path) is not a valid address: check the server's address")
    }
    return url
  }

  /// The address, for messages.
  package var description: String { base }
}
