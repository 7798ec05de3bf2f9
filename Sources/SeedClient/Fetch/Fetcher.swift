package import Foundation
import SeedSystem
package import SeedTrust

struct Fetcher: Sendable {
  let server: ServerAddress
  let environment: Environment
  let timeouts: DownloadTimeouts
  let partial: PartialFolder
  var context = UpdateContext()

  /// Bytes of one part, and so a bound on memory: Foundation on Linux buffers without limit what arrives faster than
  /// it is read, and its `suspend()` restarts the transfer.
  static let partBytes = 4 * 1024 * 1024

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
  init(
    _ server: ServerAddress, _ environment: Environment, _ layout: StoreLayout, _ options: SeedOptions,
    mode: mode_t = 0o600
  ) {
    self.init(
      server: server, environment: environment, timeouts: options.timeouts,
      partial: PartialFolder(layout.partial, mode: mode))
  }
}

package struct ServerAddress: Sendable, CustomStringConvertible {
  private let base: String

  private static let ports = 1...65_535

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

  package func url(_ path: String) throws(SeedError) -> URL {
    guard let url = URL(string: "\(base)/\(path)") else {
      throw SeedError(.configuration, "\(base)/\(path) is not a valid address: check the server's address")
    }
    return url
  }

  package var description: String { base }
}

/// Fetches a publication's files as published (for followers).
package struct PublicationFetcher: Sendable {
  private let fetcher: Fetcher

  /// Downloads objects into the folder `parts`, in which a later process can resume them.
  package init(_ server: URL, parts: String, userAgent: String) throws(SeedError) {
    fetcher = Fetcher(
      server: try ServerAddress(server),
      environment: Environment(transport: SessionOptions().transport(userAgent: userAgent)),
      timeouts: DownloadTimeouts(), partial: PartialFolder(parts, mode: 0o644))
  }

  package var server: String { fetcher.server.description }

  package func metadata(_ name: String, limit: Int) async throws -> [UInt8]? {
    do {
      return try await fetcher.metadata(name, limit: limit)
    } catch { throw SeedError(error) }
  }

  /// Downloads an object and returns the path of the verified file. The caller moves it.
  package func object(_ object: PublishedObject) async throws -> String {
    do {
      return try await Download(object, for: fetcher).run().path
    } catch { throw SeedError(error) }
  }
}
