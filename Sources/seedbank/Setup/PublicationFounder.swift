import SeedDatabase
import SeedFormat
import SeedServer
import SeedTrust

/// Makes a publication's keys and its first metadata.
struct PublicationFounder {
  /// The deployment's folder, or the one that will become it.
  let folder: String
  /// Seconds for which the online roles are valid.
  let lifetime: Int

  /// The roles that have a key each; `keys/root.key` and `keys/targets.key` are the offline ones.
  enum KeyRole: String, CaseIterable {
    case root, targets, series, snapshot, timestamp

    var fileName: String { "\(rawValue).key" }
  }

  /// Writes keys, metadata and the clients' trust anchor; the metadata in the order in which it must appear.
  func found(delegating series: [Series]) throws {
    let secrets = try makeKeys()
    let step = try RepositorySigner(now: .now(), lifetime: lifetime).create(
      delegating: series, keys: Self.publicationKeys(secrets))
    try PublicationDirectory("\(folder)/\(DeploymentConfiguration.Usual.publication)").write(step.files)
    guard let root = step.files.first else { return }
    try DurableFile.write(root.bytes, to: "\(folder)/\(DeploymentDraft.rootName)")
  }

  private func makeKeys() throws -> [KeyRole: SigningKey] {
    let keys = "\(folder)/\(DeploymentConfiguration.Usual.keys)"
    try Folder.create(keys, mode: 0o700)
    var secrets: [KeyRole: SigningKey] = [:]
    for role in KeyRole.allCases {
      let key = SigningKey.generate()
      try KeyFile.write(key, toNewFile: "\(keys)/\(role.fileName)")
      secrets[role] = key
    }
    return secrets
  }

  private static func publicationKeys(_ secrets: [KeyRole: SigningKey]) -> PublicationKeys {
    func signers(_ role: KeyRole) -> RoleSigners { RoleSigners([secrets[role]].compactMap(\.self)) }
    return PublicationKeys(
      root: signers(.root), targets: signers(.targets),
      online: OnlineKeys(
        series: signers(.series), snapshot: signers(.snapshot), timestamp: signers(.timestamp)))
  }
}
