import SeedServer
import SeedSystem
import SeedTrust

/// When an expiry is worth a warning.
struct ExpiryWarning {
  let now: UTCTime

  /// Roles of `lifetime` seconds are signed anew every hour: half of it gone means that nobody does. Without a
  /// lifetime the role is one that offline keys sign.
  func text(_ name: String, _ expires: UTCTime, lifetime: Int? = nil) -> String? {
    let left = expires.secondsSinceEpoch - now.secondsSinceEpoch
    guard left > 0 else {
      return "\(name): its metadata expired at \(expires), no client accepts it\(remedy(name, lifetime))"
    }
    let enough = lifetime.map { $0 / 2 } ?? RepositorySigner.warningDays * UTCTime.secondsPerDay
    return left < enough ? "\(name): its metadata expires at \(expires)\(remedy(name, lifetime))" : nil
  }

  private func remedy(_ name: String, _ lifetime: Int?) -> String {
    lifetime == nil
      ? ": sign it anew with 'seedbank keys renew \(name)', with a --with for each folder of its keys"
      : ": run 'seedbank run' or 'seedbank regenerate'"
  }
}

/// What an operator must know of a publication's signatures.
struct SignatureStanding {
  /// What expires soon, or has.
  let warnings: [String]
  private let isExpired: Bool

  /// The shortest time for which a dataset's signatures are made is the measure of the online roles.
  init(_ published: PublishedMetadata, pending: OfflineChange, lifetime: Int, now: UTCTime) {
    let warning = ExpiryWarning(now: now)
    let waiting =
      pending.isEmpty
      ? [] : ["a change of keys waits for signatures: 'seedbank keys status' says whose"]
    warnings =
      published.signatures.compactMap { role in
        warning.text(role.role, role.expires, lifetime: role.isOffline ? nil : lifetime)
      } + waiting
    isExpired = published.signatures.contains { $0.state(at: now) == .expired }
  }

  /// Clients refuse what is published.
  var failure: CommandFailure? {
    isExpired
      ? CommandFailure(
        .configuration,
        "Clients refuse what is published, for signatures have expired: 'seedbank keys status' says which, and what to do."
      )
      : nil
  }
}

extension DeploymentConfiguration {
  /// Seconds for which online signatures are valid at the least: of the roles that all share, whichever dataset signed
  /// last decides.
  var shortestLifetime: Int { datasets.map(\.expirySeconds).min() ?? DatasetConfiguration.usualExpiry }

  /// Seconds for which they are valid at the most.
  var longestLifetime: Int { datasets.map(\.expirySeconds).max() ?? DatasetConfiguration.usualExpiry }
}
