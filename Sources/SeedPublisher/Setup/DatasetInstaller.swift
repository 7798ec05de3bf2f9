package import SeedFormat
package import SeedPublication
import SeedSystem

package protocol Installer {
  /// The number of keys to create; nil if they exist.
  var keyCount: Int? { get }
  /// Throws if the draft's names are taken.
  func checkRoom() throws(Refusal)
  func install(delegating series: [SeedSeries]) throws
}

/// Adds a dataset to an existing deployment: its folder, and then its name in seedbank.json, which activates it.
/// The first step with the targets key signs for it.
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
        "\(draft.file) has a dataset \(draft.dataset) already. Nothing was changed: --dataset gives this one another name,"
          + " --directory begins another deployment, and 'seedbank model new' takes up an origin's additions."
      )
    }
    guard !Folder.exists(folder) else {
      throw Refusal(
        .configuration,
        "\(folder) exists and is never overwritten. Nothing was changed: --dataset gives this one another name."
      )
    }
  }

  package func install(delegating series: [SeedSeries]) throws {
    try checkRoom()
    try draft.datasetTexts.install(asFolder: folder)
    do {
      try list()
    } catch {
      // A folder without an entry would make a retry fail.
      try? Folder.removeAll(folder)
      throw error
    }
  }
}
