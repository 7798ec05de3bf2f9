package import SeedFormat
import SeedPublication
import SeedSystem
package import SeedTrust

/// A dataset's job in a long-running process. If the operator edits the dataset's files, the next step uses the new
/// lifecycles and the new list of the origin's known parts. But it never uses changed models, which may be
/// half-written: if the files of a loaded model have changed or disappeared, steps are rejected.
package final class FollowedDataset: Sendable {
  /// The parts of a dataset's files that are read again after an edit.
  package typealias Found = (
    models: [ModelDefinition], lifecycles: [Int: SeedLifecycle], knownOrigin: OriginOutline?
  )

  private struct State {
    var job: DatasetJob
    /// Nil before the first check.
    var files: [String: FileStamp]?
    /// Models of active majors that are not loaded.
    var added: [ModelVersion] = []
    var obstacle: PlanError?
  }

  package let name: DatasetName
  private let held: [ModelDefinition]
  private let folder: String
  private let read: @Sendable () throws -> Found
  private let state: Mutex<State>
  /// Held instead of `state` while the files are read, so that readers of the state do not wait for a disk.
  private let looking = Mutex(())

  /// Starts with a job of these models, which were just read.
  package init(
    _ job: DatasetJob, of models: [ModelDefinition], in folder: String,
    read: @escaping @Sendable () throws -> Found
  ) {
    (name, held, self.folder, self.read) = (job.name, models, folder, read)
    state = Mutex(State(job: job))
  }

  package var job: DatasetJob {
    var job = state.withLock(\.job)
    job.confirm = { [self] in
      let hasChanged = look()
      if let obstacle { throw obstacle }
      if hasChanged {
        throw PlanError(
          "the configuration of \(name) changed during a step, so nothing was published: the next step uses the new one"
        )
      }
    }
    return job
  }

  /// A remark for the operator about models that wait for a restart.
  package var remark: String? {
    let added = state.withLock(\.added)
    guard !added.isEmpty else { return nil }
    let (were, them) = added.count == 1 ? ("was", "it") : ("were", "them")
    return
      "\(Self.names(added)) \(were) added after 'seedbank run' was started: restart it to publish \(them)"
  }

  private static func names(_ models: [ModelVersion]) -> String {
    "\(models.count == 1 ? "model" : "models") \(models.map(\.description).joined(separator: ", "))"
  }

  private var obstacle: PlanError? { state.withLock(\.obstacle) }

  /// Checks the files. Returns true if a step is needed although the origin is unchanged.
  package func look() -> Bool {
    looking.withLock { _ in
      let files = stamps()
      var state = state.withLock(\.self)
      guard files != state.files || state.obstacle != nil else { return false }
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
      state.job.policy.lifecycles = found.lifecycles
      state.job.knownOrigin = found.knownOrigin
      // Models of retired majors are no longer published.
      let active = (held + found.models).filter { found.lifecycles[$0.version.major]?.isRetired != true }
      let changed = active.filter { held.contains($0) && !found.models.contains($0) }.map(\.version)
      let known = Set(held.map(\.version))
      state.added = active.map(\.version).filter { !known.contains($0) }
      state.obstacle = changed.isEmpty ? nil : obstacle(changed)
    } catch {
      let problem = ((error as? Refusal)?.message ?? "\(error)").closed
      state.obstacle = PlanError("\(problem) Until this is fixed, nothing new is published for \(name)")
    }
    return before.policy != state.job.policy || before.knownOrigin != state.job.knownOrigin
  }

  private func obstacle(_ changed: [ModelVersion]) -> PlanError {
    PlanError(
      "the files of \(Self.names(changed)) have changed or disappeared since 'seedbank run' was started: restart it, or put"
        + " them back. Until you do, nothing new is published for \(name). To end a major, run 'seedbank model retire'"
    )
  }

  private func stamps() -> [String: FileStamp] {
    func paths(_ folder: String) -> [String] {
      ((try? Folder.names(in: folder)) ?? []).map { "\(folder)/\($0)" }
    }
    let models = ModelFolder.parent(inDataset: folder)
    let settings = ["\(folder)/\(DeploymentNames.datasetFile)", KnownOrigin.path(inDataset: folder)]
    let folders = [models] + paths(models)
    return (settings + folders + folders.dropFirst().flatMap(paths)).reduce(into: [:]) { stamps, path in
      stamps[path] = (try? FileStamp(path)) ?? nil
    }
  }
}
