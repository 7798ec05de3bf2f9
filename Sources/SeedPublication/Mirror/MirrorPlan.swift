import SeedSystem

/// The steps that make a mirror equal to a publication. A crash after any step leaves a consistent mirror. Pure.
struct MirrorPlan: Hashable {
  enum Step: Hashable {
    /// A snapshot or delta. Replaces a file of another length, because the name fixes the content.
    case object(MirrorFile, isDamaged: Bool)
    case metadata(MirrorFile)
    /// The timestamp, which makes all earlier steps visible.
    case commit(MirrorFile)
    case removal(String)
  }

  let steps: [Step]

  /// Removes files that have been unreachable for `graceSeconds`.
  init(_ image: MirrorImage, _ memory: MirrorMemory, graceSeconds: Int, now: UTCTime) {
    let objects = image.objects.filter { memory.held[$0.path] != $0.length }
      .map { Step.object($0, isDamaged: memory.held[$0.path] != nil) }
    let metadata = image.metadata.filter { memory.held[$0.path] != $0.length }.map(Step.metadata)
    let commit = memory.shows(image) ? [] : [Step.commit(image.timestamp)]
    let named = image.paths
    let removals = memory.unnamed.filter { path, since in
      !named.contains(path) && now.secondsSinceEpoch - since.secondsSinceEpoch >= graceSeconds
    }
    steps = objects + metadata + commit + removals.keys.sorted().map(Step.removal)
  }
}
