import SeedServer
import SeedSystem
import SeedTrust

struct ExpiryWarning {
  let now: UTCTime

  /// Roles with a lifetime in seconds are signed anew every hour: if half of it is gone, no publisher runs. Roles
  /// without one are signed by offline keys.
  func text(_ name: String, _ expires: UTCTime, lifetime: Int? = nil) -> String? {
    let left = expires.secondsSinceEpoch - now.secondsSinceEpoch
    guard left > 0 else {
      return "\(name): its metadata expired at \(expires), and no client accepts it\(remedy(name, lifetime))"
    }
    let enough = lifetime.map { $0 / 2 } ?? RepositorySigner.warningDays * UTCTime.secondsPerDay
    return left < enough ? "\(name): its metadata expires at \(expires)\(remedy(name, lifetime))" : nil
  }

  private func remedy(_ name: String, _ lifetime: Int?) -> String {
    lifetime == nil
      ? ": renew it with 'seedbank keys renew \(name)', and --with for each folder of its keys"
      : ": run 'seedbank run' or 'seedbank regenerate'"
  }
}

struct SignatureStanding {
  let warnings: [String]
  private let isExpired: Bool

  /// `lifetime` is that of the online roles in seconds: the shortest of all datasets.
  init(_ published: PublishedMetadata, pending: OfflineChange, lifetime: Int, now: UTCTime) {
    let warning = ExpiryWarning(now: now)
    let waiting = pending.isEmpty ? [] : ["a change of keys waits for signatures: see 'seedbank keys status'"]
    warnings =
      published.signatures.compactMap { role in
        warning.text(role.role, role.expires, lifetime: role.isOffline ? nil : lifetime)
      } + waiting
    isExpired = published.signatures.contains { $0.state(at: now) == .expired }
  }

  /// The end of a command after which clients reject the publication.
  var failure: CommandFailure? {
    guard isExpired else { return nil }
    let message = "Clients refuse what is published: signatures have expired. See 'seedbank keys status'."
    return CommandFailure(.configuration, message)
  }
}

extension DeploymentConfiguration {
  /// The shortest lifetime of online signatures in seconds: all datasets share some roles, and the one that signed last
  /// decides.
  var shortestLifetime: Int { lifetimes.min() ?? PublishingPolicy().lifetimeSeconds }

  var longestLifetime: Int { lifetimes.max() ?? PublishingPolicy().lifetimeSeconds }

  private var lifetimes: [Int] { datasets.map(\.policy.lifetimeSeconds) }
}
