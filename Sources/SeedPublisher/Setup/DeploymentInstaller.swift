package import SeedFormat
package import SeedPublication
import SeedSigning
import SeedSystem
import SeedTrust

/// Writes a new deployment completely or not at all, and never over existing files.
package struct DeploymentInstaller: Installer {
  private let draft: DeploymentDraft
  private let keys: KeyPlan
  private let extraEntries: [String]
  private let fill: (_ staging: String) throws -> Void

  /// `fill` writes the `extraEntries`, which are not part of the draft, to the temporary folder `staging`.
  package init(
    _ draft: DeploymentDraft, _ keys: KeyPlan = KeyPlan(), extraEntries: [String] = [],
    fill: @escaping (_ staging: String) throws -> Void = { _ in }
  ) { (self.draft, self.keys, self.extraEntries, self.fill) = (draft, keys, extraEntries, fill) }

  package var keyCount: Int? { keys.count }

  private var entries: [String] { extraEntries + draft.entries }
  private var directory: String { draft.directory }

  package func checkRoom() throws(Refusal) {
    guard Folder.exists(directory) else { return }
    guard Folder.exists("\(directory)/.") else {
      throw Refusal(.configuration, "\(directory): expected a folder or nothing, found a file.")
    }
    guard !Folder.exists(draft.file) else {
      throw Refusal(
        .configuration,
        "\(draft.file) exists: this is already a deployment. Nothing was changed;"
          + " choose another --directory, or move this one away.")
    }
    if let taken = entries.first(where: { Folder.exists("\(directory)/\($0)") }) {
      throw Refusal(
        .configuration,
        "\(directory)/\(taken) exists and is never overwritten. Nothing was changed; choose another --directory."
      )
    }
  }

  /// Writes all files to a temporary folder and moves it into place.
  package func install(delegating series: [SeedSeries]) throws {
    try checkRoom()
    try Folder.stage("seedbank", in: Self.nearestFolder(directory), place: moveIntoPlace) { staging in
      try fill(staging)
      try draft.texts.write(below: staging)
      try createPublication(in: staging, delegating: series)
    }
  }

  /// Returns the path, or its nearest existing parent, which is on the same disk.
  package static func nearestFolder(_ path: String) -> String {
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

  /// Moves entries one by one into a folder with other files, and moves them back if one move fails.
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

  /// Writes the keys, the metadata, and the clients' trust anchor, which is the first root.
  private func createPublication(in folder: String, delegating series: [SeedSeries]) throws {
    ProcessSecrets.guardMemory()
    let step = try RepositorySigner(now: .now(), lifetime: draft.lifetimeSeconds).create(
      delegating: series, keys: try makeKeys(in: folder), thresholds: keys.thresholds)
    try PublicationDirectory("\(folder)/\(DeploymentNames.publication)").write(step.files)
    guard let root = step.files.first else { return }
    try DurableFile.write(root.bytes, to: "\(folder)/\(DeploymentNames.root)")
  }

  private func makeKeys(in deployment: String) throws -> KeyRing {
    let folder = "\(deployment)/\(DeploymentNames.keys)"
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

package protocol Installer {
  /// Nil if the deployment already has keys.
  var keyCount: Int? { get }
  func checkRoom() throws(Refusal)
  func install(delegating series: [SeedSeries]) throws
}

/// Adds a dataset to an existing deployment. Creates the folder, and then lists the dataset in seedbank.json,
/// which activates it. The first step with the targets key delegates to the dataset's series.
package struct DatasetInstaller: Installer {
  private let draft: DeploymentDraft
  private let others: [DatasetName]
  private let list: () throws -> Void

  /// `list` adds the dataset's name to seedbank.json.
  package init(_ draft: DeploymentDraft, besides others: [DatasetName], list: @escaping () throws -> Void) {
    (self.draft, self.others, self.list) = (draft, others, list)
  }

  package var keyCount: Int? { nil }

  private var folder: String { "\(draft.directory)/\(draft.dataset)" }

  package func checkRoom() throws(Refusal) {
    guard !others.contains(draft.dataset) else {
      throw Refusal(
        .configuration,
        "\(draft.file) already has a dataset \(draft.dataset). Nothing was changed; use --dataset for another name,"
          + " --directory for another deployment, or 'seedbank model new' to publish an origin's additions.")
    }
    guard !Folder.exists(folder) || isInstalled else {
      throw Refusal(
        .configuration,
        "\(folder) exists and is never overwritten. Nothing was changed; choose another name with --dataset.")
    }
  }

  /// Whether the folder exists with the same files, because an earlier `init` was interrupted before it listed the dataset.
  private var isInstalled: Bool { draft.datasetTexts.areWritten(below: folder) }

  package func install(delegating series: [SeedSeries]) throws {
    try checkRoom()
    guard !isInstalled else { return try list() }
    try draft.datasetTexts.install(asFolder: folder)
    do {
      try list()
    } catch {
      // If the origin changed, a folder that seedbank.json does not list would make a retry fail.
      try? Folder.removeAll(folder)
      throw error
    }
  }
}
