#if canImport(FoundationNetworking)
public import class FoundationNetworking.URLCredential
#else
public import class Foundation.URLCredential
#endif

/// An app's answer to a server's authentication challenge; see ``SeedOptions/answerChallenge``.
public enum ChallengeAnswer: Sendable {
  /// The system's default handling.
  case system
  /// Use this credential, which may be made from the server's trust.
  case use(URLCredential)
  /// End the connection and the update, with ``SeedError/Code/serverRefused``.
  case refuse
}
