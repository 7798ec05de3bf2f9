import SeedFormat
import SeedTrust

extension UpdatePlan {
  /// What a decision comes to, for a device at `local`; a refusal is an error.
  init(_ decision: Decision, from local: Version?, head: Version) throws(SeedError) {
    switch decision {
    case .refuse(let refusal): throw SeedError(refusal)
    case .upToDate: self.init(.upToDate, .init(reason: .upToDate), [], from: local, head)
    case .apply(let chain, let weighing): self.init(.applied, weighing, chain, from: local, head)
    case .download(let snapshot, let chain, let weighing):
      self.init(.replaced, weighing, [snapshot] + chain, from: local, head)
    }
  }

  private init(
    _ action: UpdateReport.Action, _ weighing: Decision.Weighing, _ objects: [PublishedObject],
    from local: Version?, _ head: Version
  ) {
    self.init(
      action: action, reason: weighing.reason, from: local, to: objects.last?.version ?? head,
      files: objects.map(\.fileName), bytes: objects.bytes, deltaBytes: weighing.deltaBytes,
      snapshotBytes: weighing.snapshotBytes)
  }
}
