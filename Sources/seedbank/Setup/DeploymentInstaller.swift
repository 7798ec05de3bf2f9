import SeedDatabase
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSigning
import SeedSystem
import SeedTrust

/// Writes a new deployment completely or not at all, and never over existing files.
struct DeploymentInstaller {
  let draft: DeploymentDraft
  var extraEntries: [String] = []
  var keys = KeyPlan()

  private var entries: [String] { extraEntries + draft.entries }
  private var directory: String { draft.directory }

  func checkRoom() throws(CommandFailure) {
    guard Folder.exists(directory) else { return }
    guard Folder.exists("\(directory)/.") else {
      throw CommandFailure(.configuration, "\(directory): expected a folder or nothing, found a file.")
    }
    guard !Folder.exists(draft.file) else {
      throw CommandFailure(
        .configuration,
        "\(draft.file) exists: this is a deployment already. Nothing was changed;"
          + " choose another --directory, or move this one away.")
    }
    if let taken = entries.first(where: { Folder.exists("\(directory)/\($0)") }) {
      throw CommandFailure(
        .configuration,
        "\(directory)/\(taken) exists and is never overwritten. Nothing was changed; choose another --directory."
      )
    }
  }

  /// Writes all files to a temporary folder and moves it into place. `fill` adds files that the draft does not have.
  func install(delegating series: [Series], fill: (_ staging: String) throws -> Void = { _ in }) throws {
    try checkRoom()
    let staging = "\(Self.nearestFolder(directory))/.seedbank-\(Epoch.random())\(DurableFile.temporarySuffix)"
    do {
      try Folder.create(staging)
      try fill(staging)
      try draft.texts.write(below: staging)
      try createPublication(in: staging, delegating: series)
      try Folder.syncAll(staging)
      try moveIntoPlace(staging)
    } catch {
      // Reports the first error, even if the cleanup fails too.
      try? Folder.removeAll(staging)
      throw error
    }
  }

  /// The path or its nearest existing parent, which is on the same disk.
  static func nearestFolder(_ path: String) -> String {
    Folder.exists(path) ? path : nearestFolder(Folder.parent(of: path))
  }

  private func moveIntoPlace(_ staging: String) throws {
    guard Folder.exists(directory) else {
      try Folder.create(Folder.parent(of: directory))
      try Folder.rename(staging, to: directory)
      return try Folder.sync(Folder.parent(of: directory))
    }
    try checkRoom()
    try moveEntries(staging)
    try Folder.removeAll(staging)
    try Folder.sync(directory)
  }

  /// Moves entries one by one into a folder with other files, and moves them back if one fails.
  private func moveEntries(_ staging: String) throws {
    var moved: [String] = []
    do {
      for name in entries {
        try Folder.rename("\(staging)/\(name)", to: "\(directory)/\(name)")
        moved.append(name)
      }
    } catch {
      for name in moved { try? Folder.rename("\(directory)/\(name)", to: "\(staging)/\(name)") }
      throw error
    }
  }

  /// Writes keys, metadata and the clients' trust anchor. Metadata must appear in this order.
  private func createPublication(in folder: String, delegating series: [Series]) throws {
    ProcessSecrets.guardMemory()
    let step = try RepositorySigner(now: .now(), lifetime: draft.dataset.policy.lifetimeSeconds).create(
      delegating: series, keys: try makeKeys(in: folder), thresholds: keys.thresholds)
    try PublicationDirectory("\(folder)/\(DeploymentConfiguration.Usual.publication)").write(step.files)
    guard let root = step.files.first else { return }
    try DurableFile.write(root.bytes, to: "\(folder)/\(DeploymentDraft.rootName)")
  }

  private func makeKeys(in deployment: String) throws -> KeyRing {
    let folder = "\(deployment)/\(DeploymentConfiguration.Usual.keys)"
    try Folder.create(folder, mode: 0o700)
    var ring = KeyRing()
    for name in KeyRole.allCases.flatMap(keys.files) {
      let key = SigningKey.generate()
      try KeyFile.write(key, toNewFile: "\(folder)/\(name.text)")
      ring[name.role].append(key)
    }
    return ring
  }
}
