import SeedFormat
import SeedTrust

extension SeedError {
  /// Why metadata of a series at a server was not accepted, and what the two that do not fit can do about it.
  init(_ error: TrustError, of series: Series, at server: ServerAddress) {
    let code = SeedError(error).code
    switch error {
    case .missingRole(series.roleName, _): self.init(code, Self.noSuch(series, server))
    case .missingFile(let name): self.init(code, Self.missing(name, server))
    case .badSignature:
      self.init(
        code,
        "\(error), at \(server): its keys are not those of the root.json that it is verified by; compare the "
          + "address and the root with the publisher's")
    default: self.init(code, "\(error), at \(server)")
    }
  }

  /// A server without a timestamp is none of a publication; one without another file lacks a part of it.
  private static func missing(_ name: String, _ server: ServerAddress) -> String {
    name == MetadataName.unversioned(Timestamp.type)
      ? "\(server) does not have metadata/\(name): give the address of a publication, whose folder metadata has that file"
      : "\(server) does not have metadata/\(name), which the publication's other metadata names: try again later; if it "
        + "stays away, its operator can find what else is missing with `seedbank verify`"
  }

  // Worth trying again all the same: an app may be released before its series is published.
  private static func noSuch(_ series: Series, _ server: ServerAddress) -> String {
    "\(server) does not publish \(series): compare dataset and model with the publisher's, or wait until they are "
      + "published"
  }
}

extension Fetcher {
  /// Everything that the server now says of a series, verified; an error names the server.
  func refreshed(
    _ series: Series, root: [UInt8], stored: StoredMetadata, fetch: MetadataFetcher? = nil
  ) async throws -> SeriesMetadata {
    do {
      return try await MetadataRefresh.refresh(
        series: series, shippedRoot: root, stored: stored,
        fetch: fetch ?? { try await metadata($0, limit: $1) }, now: surroundings.now())
    } catch let error as TrustError {
      throw SeedError(error, of: series, at: server)
    }
  }
}
