#if canImport(FoundationNetworking)
public import class FoundationNetworking.URLCredential
#else
public import class Foundation.URLCredential
#endif

/// What an app says to a server's challenge; see ``SeedOptions/answerChallenge``.
public enum ChallengeAnswer: Sendable {
  /// What the system does without the app.
  case system
  /// This credential, which may be made of the server's trust.
  case use(URLCredential)
  /// The connection ends, and with it the update, by ``SeedError/Code/serverRefused``.
  case refuse
}
