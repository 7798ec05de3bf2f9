package import struct Foundation.URL

/// The address of a publication, from which the URLs of its files follow.
package struct ServerAddress: Sendable {
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
}

extension ServerAddress: CustomStringConvertible {
  /// The address, for messages.
  package var description: String { base }
}
