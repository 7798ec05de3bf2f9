import SeedSystem
package import SeedTrust

package import struct Foundation.URL

/// Fetches a publication's files as published (for followers).
package struct PublicationFetcher: Sendable {
  private let fetcher: Fetcher

  /// Downloads objects into the folder `parts`, in which a later process can resume them.
  package init(
    _ server: URL, parts: String, userAgent: String, timeouts: DownloadTimeouts = DownloadTimeouts()
  ) throws(SeedError) {
    try self.init(
      server, parts: parts, Environment(transport: SessionOptions().transport(userAgent: userAgent)),
      timeouts: timeouts)
  }

  package init(
    _ server: URL, parts: String, _ environment: Environment, timeouts: DownloadTimeouts = DownloadTimeouts()
  ) throws(SeedError) {
    fetcher = Fetcher(
      server: try ServerAddress(server), environment: environment, timeouts: timeouts,
      partial: PartialFolder(parts, mode: 0o644))
  }

  package var server: String { fetcher.server.description }

  package func metadata(_ name: String, limit: Int) async throws -> [UInt8]? {
    do {
      return try await fetcher.metadata(name, limit: limit)
    } catch {
      throw SeedError(error)
    }
  }

  /// Downloads an object and returns the path of the verified file. The caller moves it.
  package func object(_ object: PublishedObject) async throws -> String {
    do {
      return try await Download(object, for: fetcher).run().path
    } catch {
      throw SeedError(error)
    }
  }

  /// Deletes the resume record of an object whose file was moved away.
  package func forget(_ object: PublishedObject) { fetcher.partial.forget(object) }
}
