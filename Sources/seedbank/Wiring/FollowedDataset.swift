import SeedFormat
import SeedServer
import SeedSystem
import SeedTrust

/// A dataset's work for a process that goes on while its files are edited. How majors live, and what the origin is known
/// to hold, is taken up by the next step. Models are not, for they may be half written: where those that are held are gone
/// or changed, steps are refused.
final class FollowedDataset: Sendable {
  private struct State {
    var job: DatasetJob
    /// `nil` before the first look.
    var files: DatasetFiles?
    var drift = ModelDrift(from: [], to: [], retired: [])
    var obstacle: PlanError?
  }

  let name: DatasetName
  private let held: [ModelDefinition]
  private let folder: String
  private let read: @Sendable () throws -> DatasetConfiguration
  private let isPublished: @Sendable (Series) -> Bool
  private let state: Mutex<State>
  /// Held while the disk is read: the state must not wait for a disk.
  private let looking = Mutex(())

  /// The work as it was read just now; `isPublished` tells of series of other models.
  init(
    _ dataset: DatasetConfiguration, _ job: DatasetJob, _ overrides: ConfigurationOverrides,
    isPublished: @escaping @Sendable (Series) -> Bool
  ) {
    (name, held, folder) = (dataset.name, dataset.models, dataset.folder)
    self.isPublished = isPublished
    read = { try DatasetConfiguration(dataset.name, readingFolder: dataset.folder, overrides: overrides) }
    state = Mutex(State(job: job))
  }

  /// What a step works with.
  var job: DatasetJob {
    var job = state.withLock(\.job)
    job.confirm = { [self] in
      let hasChanged = look()
      if let obstacle { throw obstacle }
      if hasChanged { throw PlanError.changedMeanwhile(name) }
    }
    return job
  }

  /// For the operator, about models that wait.
  var remark: String? { state.withLock { $0.drift.remark } }

  private var obstacle: PlanError? { state.withLock(\.obstacle) }

  /// Looks at the files; true where a step must be made though the origin is as it was.
  func look() -> Bool {
    looking.withLock { _ in
      let files = DatasetFiles(of: folder)
      var state = state.withLock(\.self)
      let mayDiffer = files != state.files || state.obstacle != nil || !state.drift.added.isEmpty
      guard mayDiffer else { return false }
      state.files = files
      let hasChanged = take(&state)
      self.state.withLock { [state] in $0 = state }
      return hasChanged || state.obstacle != nil
    }
  }

  private func take(_ state: inout State) -> Bool {
    let before = state.job
    do {
      let found = try read()
      state.job.policy.lifecycles = found.policy.lifecycles
      state.job.knownOrigin = found.knownOrigin
      let retired = Set(found.policy.lifecycles.filter(\.value.isRetired).keys)
      state.drift = ModelDrift(from: held, to: found.models, retired: retired)
      state.obstacle = state.drift.obstacle(name, publishedByOthers: others(state))
    } catch { state.obstacle = .unreadable(name, "\(error)") }
    return before.policy != state.job.policy || before.knownOrigin != state.job.knownOrigin
  }

  private func others(_ state: State) -> [Series] {
    let known = Set(state.job.plans.map(\.series))
    return Set(state.drift.added.map { Series(name, model: $0) }).subtracting(known)
      .filter(isPublished).sorted()
  }
}

/// How a dataset's files looked, all of those that say what is published.
private struct DatasetFiles: Equatable {
  private let stamps: [String: FileStamp]

  init(of folder: String) {
    let models = ModelFolder.parent(inDataset: folder)
    let folders = Self.paths(in: models)
    let paths =
      ["\(folder)/\(DatasetConfiguration.fileName)", KnownOrigin.path(inDataset: folder), models] + folders
      + folders.flatMap(Self.paths)
    stamps = paths.reduce(into: [:]) { stamps, path in stamps[path] = (try? FileStamp(path)) ?? nil }
  }

  private static func paths(in folder: String) -> [String] {
    ((try? Folder.names(in: folder)) ?? []).map { "\(folder)/\($0)" }
  }
}
