import SeedFormat
import SeedSystem

/// Adds a dataset to an existing deployment: its folder, and then its name in seedbank.json, which activates it.
/// The first step with the targets key signs for it.
struct DatasetInstaller {
  let draft: DeploymentDraft
  let configuration: DeploymentConfiguration

  private var name: DatasetName { draft.dataset.name }
  private var folder: String { "\(draft.directory)/\(name)" }

  func checkRoom() throws(CommandFailure) {
    guard !configuration.datasets.contains(where: { $0.name == name }) else {
      throw CommandFailure(
        .configuration,
        "\(draft.file) has a dataset \(name) already. Nothing was changed: --dataset gives this one another name,"
          + " --directory begins another deployment, and 'seedbank model new' takes up an origin's additions."
      )
    }
    guard !Folder.exists(folder) else {
      throw CommandFailure(
        .configuration,
        "\(folder) exists and is never overwritten. Nothing was changed: --dataset gives this one another name."
      )
    }
  }

  func install() throws {
    try checkRoom()
    try draft.datasetTexts.install(asFolder: folder)
    try list()
  }

  private func list() throws {
    do {
      var edit = try ConfigurationEdit(draft.file)
      edit["datasets"] = .array((edit["datasets"]?.elements ?? []) + [.string(name.text)])
      try edit.save()
    } catch {
      // A folder without an entry would make a retry fail.
      try? Folder.removeAll(folder)
      throw error
    }
  }
}

enum Installation {
  case deployment(DeploymentInstaller)
  case dataset(DatasetInstaller)

  /// Adds to the existing deployment, or creates a new one.
  init(_ draft: DeploymentDraft, _ arguments: ParsedArguments, _ context: Context) throws {
    let keys = try KeyPlan(arguments)
    guard Folder.exists(draft.file) else {
      self = .deployment(DeploymentInstaller(draft: draft, keys: keys))
      return
    }
    for option in Parameter.keyPlan.map(\.name) {
      guard let value = arguments.string(option) else { continue }
      throw arguments.unsuitable(option, value, "nothing, because \(draft.file) has its keys")
    }
    let configuration = try DeploymentConfiguration(
      readingFile: draft.file, overrides: context.overrides(arguments))
    self = .dataset(DatasetInstaller(draft: draft, configuration: configuration))
  }

  func checkRoom() throws {
    switch self {
    case .deployment(let installer): try installer.checkRoom()
    case .dataset(let installer): try installer.checkRoom()
    }
  }

  func install(delegating series: [Series]) throws {
    switch self {
    case .deployment(let installer): try installer.install(delegating: series)
    case .dataset(let installer): try installer.install()
    }
  }

  /// The number of keys to create; nil if they exist.
  var keyCount: Int? {
    switch self {
    case .deployment(let installer): installer.keys.count
    case .dataset: nil
    }
  }
}
