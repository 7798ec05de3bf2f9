import SeedSystem
package import SeedTrust

package import struct Foundation.URL

/// Gets a publication's files for somebody who keeps them as they are published: a follower.
package struct PublicationFetcher: Sendable {
  private let fetcher: Fetcher

  /// Objects come into the folder `parts`, where a later process goes on with what an earlier one began.
  package init(
    _ server: URL, parts: String, userAgent: String, timeouts: DownloadTimeouts = DownloadTimeouts()
  ) throws(SeedError) {
    try self.init(
      server, parts: parts, Environment(transport: URLSessionTransport(userAgent: userAgent)),
      timeouts: timeouts)
  }

  /// In a test's own world.
  package init(
    _ server: URL, parts: String, _ environment: Environment, timeouts: DownloadTimeouts = DownloadTimeouts()
  ) throws(SeedError) {
    fetcher = Fetcher(
      server: try ServerAddress(server), environment: environment, timeouts: timeouts,
      partial: PartialFolder(parts, mode: 0o644))
  }

  /// The address, for messages.
  package var server: String { fetcher.server.description }

  /// A metadata file, not yet verified; `nil` where the server has none.
  package func metadata(_ name: String, limit: Int) async throws -> [UInt8]? {
    do {
      return try await fetcher.metadata(name, limit: limit)
    } catch {
      throw SeedError(error)
    }
  }

  /// The path of an object's file, which has the length and the hash that were signed. It is the caller's to move.
  package func object(_ object: PublishedObject) async throws -> String {
    do {
      return try await Download(object, for: fetcher).run().path
    } catch {
      throw SeedError(error)
    }
  }

  /// Forgets how a download began whose file was moved away.
  package func forget(_ object: PublishedObject) { fetcher.partial.forget(object) }
}
