import SeedFormat
import SeedSystem
import SeedTrust

extension Fetcher {
  /// Downloads an unverified metadata file; `nil` if the server does not have it.
  func metadata(_ name: String, limit: Int) async throws -> [UInt8]? {
    let request = TransportRequest(
      url: try server.url("metadata/\(name)"), policy: context.policy,
      isRequired: name == MetadataName.unversioned(Timestamp.type))
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

extension SeedError {
  /// Names the server. Until metadata or data has been verified, signatures by other keys mean that the app has another
  /// publisher's root, and no retry helps. After that, the server or a mirror is at fault.
  init(_ error: TrustError, of series: SeedSeries, at server: ServerAddress, hasVerified: Bool = true) {
    let message =
      switch error {
      // Retried, because an app may be released before its series is published.
      case .missingRole(series.roleName, _):
        "\(server) does not publish \(series): check dataset and model, or wait until they are "
          + "published"
      case .missingFile(let name): Self.missing(name, server)
      case .badSignature:
        "\(error), at \(server): its keys are not those of the root.json that verifies it; compare the "
          + "address and the root with the publisher's"
      default: "\(error), at \(server)"
      }
    self.init(!hasVerified && error.saysOtherKeys ? .configuration : error.code, message)
  }

  /// Without a timestamp, the address serves no publication; without another file, the publication is incomplete.
  private static func missing(_ name: String, _ server: ServerAddress) -> String {
    name == MetadataName.unversioned(Timestamp.type)
      ? "\(server) does not have metadata/\(name): give the address of a publication, whose folder metadata has that file"
      : "\(server) does not have metadata/\(name), which its other metadata names: try again later; if it "
        + "is still missing, its operator can find all missing files with `seedbank verify`"
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
