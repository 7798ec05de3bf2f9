import SeedDatabase
import SeedFormat
import SeedServer
import SeedSystem
import SeedTrust

/// Makes a publication's keys and its first metadata.
struct PublicationFounder {
  /// The deployment's folder, or the one that will become it.
  let folder: String
  /// Seconds for which the online roles are valid.
  let lifetime: Int
  /// How many keys there are.
  let plan: KeyPlan

  /// Writes keys, metadata and the clients' trust anchor; the metadata in the order in which it must appear.
  func found(delegating series: [Series]) throws {
    ProcessSecrets.guardMemory()
    let step = try RepositorySigner(now: .now(), lifetime: lifetime).create(
      delegating: series, keys: try makeKeys(), thresholds: plan.thresholds)
    try PublicationDirectory("\(folder)/\(DeploymentConfiguration.Usual.publication)").write(step.files)
    guard let root = step.files.first else { return }
    try DurableFile.write(root.bytes, to: "\(folder)/\(DeploymentDraft.rootName)")
  }

  private func makeKeys() throws -> KeyRing {
    let keys = "\(folder)/\(DeploymentConfiguration.Usual.keys)"
    try Folder.create(keys, mode: 0o700)
    var ring = KeyRing()
    for name in KeyRole.allCases.flatMap(plan.files) {
      let key = SigningKey.generate()
      try KeyFile.write(key, toNewFile: "\(keys)/\(name.text)")
      ring[name.role].append(key)
    }
    return ring
  }
}
