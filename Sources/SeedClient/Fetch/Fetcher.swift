package import Foundation
import SeedFormat
import SeedSystem
package import SeedTrust

struct Fetcher: Sendable {
  let server: ServerAddress
  let environment: Environment
  let timeouts: DownloadTimeouts
  let partial: PartialFolder
  var context = UpdateContext()

  /// Maximum bytes per request. This limits memory use: Foundation on Linux buffers all data that is not read in time,
  /// and suspending its task would restart the transfer. A gzip body that Foundation expands is not limited.
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

  /// Downloads an unverified metadata file; `nil` if the server does not have it. `limit` counts expanded bytes.
  func metadata(_ name: String, limit: Int) async throws -> [UInt8]? {
    let request = TransportRequest(
      url: try server.url("metadata/\(name)"), policy: context.policy,
      isRequired: name == MetadataName.unversioned(Timestamp.type), acceptsGzip: true)
    let deadline = environment.uptime() + timeouts.total
    return try await retrying(received: { 0 }) {
      let bytes = Mutex<[UInt8]>([])
      let reply = try await WatchedRequest(request, length: nil, deadline: deadline, for: self).run {
        piece, _ in
        try bytes.withLock { bytes in
          guard bytes.count + piece.count <= limit else {
            throw TransportError.tooLong(url: request.text, limit: limit)
          }
          bytes += piece
        }
      }
      return reply == .absent ? nil : bytes.withLock { $0 }
    }
  }
}

package struct ServerAddress: Sendable, CustomStringConvertible {
  private let base: String

  package init(_ server: URL) throws(SeedError) {
    guard let scheme = server.scheme?.lowercased(), ["http", "https"].contains(scheme), server.host != nil,
      server.port.map((1...65_535).contains) ?? true, server.query == nil, server.fragment == nil
    else {
      throw SeedError(
        .configuration,
        "server: expected an address such as https://seeds.example, found \(server.absoluteString)")
    }
    base = server.absoluteString.replacing(/\/+$/, with: "")
  }

  package func url(_ path: String) throws(SeedError) -> URL {
    guard let url = URL(string: "\(base)/\(path)") else {
      throw SeedError(.configuration, "\(base)/\(path) is not a valid address: check the server's address")
    }
    return url
  }

  package var description: String { base }
}

/// Fetches a publication's files unchanged, for `seedbank follow`.
package struct PublicationFetcher: Sendable {
  private let fetcher: Fetcher

  /// Downloads objects into the folder `parts`, from which a later process can resume them.
  package init(_ server: URL, parts: String, userAgent: String) throws(SeedError) {
    fetcher = Fetcher(
      server: try ServerAddress(server),
      environment: Environment(transport: SessionOptions().transport(userAgent: userAgent)),
      timeouts: DownloadTimeouts(), partial: PartialFolder(parts, mode: 0o644))
  }

  package var server: String { fetcher.server.description }

  package func metadata(_ name: String, limit: Int) async throws -> [UInt8]? {
    do { return try await fetcher.metadata(name, limit: limit) } catch { throw SeedError(error) }
  }

  /// Downloads an object and returns the path of the verified file. The caller moves it.
  package func object(_ object: PublishedObject) async throws -> String {
    do { return try await Download(object, for: fetcher).run().path } catch { throw SeedError(error) }
  }
}

extension SeedError {
  /// Adds the server to the message. If all signatures are by other keys and nothing has been verified yet, the app has
  /// a different publisher's root, so a retry cannot help. After a verification, the server or a mirror is at fault.
  init(_ error: TrustError, of series: SeedSeries, at server: ServerAddress, hasVerified: Bool = true) {
    let message =
      switch error {
      // This error is retried, because an app may be released before its series is published.
      case .missingRole(series.roleName, _):
        "\(server) does not publish \(series): check the dataset and the model, or wait until the series is published"
      case .missingFile(let name): Self.missing(name, server)
      case .badSignature:
        "\(error), at \(server): its keys are not those of this root.json; compare the "
          + "address and the root with the publisher's"
      default: "\(error), at \(server)"
      }
    self.init(!hasVerified && error.saysOtherKeys ? .configuration : error.code, message)
  }

  /// If the timestamp is missing, the address serves no publication; if another file is missing, the publication is
  /// incomplete.
  private static func missing(_ name: String, _ server: ServerAddress) -> String {
    name == MetadataName.unversioned(Timestamp.type)
      ? "\(server) does not have metadata/\(name): give the address of a publication, the folder that contains 'metadata'"
      : "\(server) does not have metadata/\(name), which its metadata lists: try again later; if it "
        + "is still missing, the server's operator can list all missing files with `seedbank verify`"
  }
}

extension TrustError {
  fileprivate var saysOtherKeys: Bool {
    if case .badSignature(role: _, found: 0, needed: _) = self { true } else { false }
  }
}

package enum ShippedRoot {
  package static func check(_ root: [UInt8], name: String = "the app's root.json") throws(SeedError) {
    do throws(TrustError) {
      _ = try TrustedMetadataSet(root: root, now: .distantPast)
    } catch {
      throw SeedError(
        .configuration, "\(name) is not a publication's root (\(error)): get root.json from the publisher")
    }
  }
}
