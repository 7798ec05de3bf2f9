package import SeedPublication
package import SeedSigning
package import SeedSystem
package import SeedTrust

/// A role with a `lifetime` in seconds is renewed by every running publisher; if most of it is over, none runs.
func expiryWarning(_ role: String, _ expires: UTCTime, lifetime: Int? = nil, now: UTCTime) -> String? {
  let left = expires.secondsSinceEpoch - now.secondsSinceEpoch
  let enough =
    lifetime.map { $0 / SignatureExpiry.neglectedShare } ?? SignatureExpiry.warningDays
    * UTCTime.secondsPerDay
  let remedy =
    lifetime == nil
    ? "renew it with 'seedbank keys renew \(role)', and --with for each folder of its keys"
    : "run 'seedbank run' or 'seedbank regenerate'"
  guard left > 0 else {
    return "\(role): its metadata expired at \(expires), and no client accepts it: \(remedy)"
  }
  return left < enough ? "\(role): its metadata expires at \(expires): \(remedy)" : nil
}

package struct SignatureStanding {
  package let warnings: [String]
  /// Warnings about signatures that clients reject.
  package let expired: [String]

  /// `lifetime`: the shortest one of all datasets' online roles, in seconds.
  package init(_ published: PublishedMetadata, pending: OfflineChange, lifetime: Int, now: UTCTime) {
    let waiting = pending.isEmpty ? [] : ["a change of keys waits for signatures: see 'seedbank keys status'"]
    let warning = { (signature: SignatureExpiry) in
      expiryWarning(
        signature.role, signature.expires, lifetime: signature.isOffline ? nil : lifetime, now: now)
    }
    warnings = published.signatures.compactMap(warning) + waiting
    expired = published.signatures.filter { $0.state(at: now) == .expired }.compactMap(warning)
  }

  package var failure: Refusal? {
    guard !expired.isEmpty else { return nil }
    let message = "Clients reject the publication: signatures have expired. See 'seedbank keys status'."
    return Refusal(.configuration, message)
  }
}
