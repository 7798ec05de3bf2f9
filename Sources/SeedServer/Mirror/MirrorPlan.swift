import SeedSystem

/// What makes a mirror equal to a publication, in an order in which each step is safe to die after. Pure.
struct MirrorPlan: Hashable {
  enum Step: Hashable {
    /// A snapshot or a delta. One of another length is put in its place: the name tells what it must hold.
    case object(MirrorFile, isDamaged: Bool)
    case metadata(MirrorFile)
    /// The timestamp: all before it becomes visible.
    case commit(MirrorFile)
    case removal(String)
  }

  let steps: [Step]

  /// A file stays for `graceSeconds` after nothing there led to it any more.
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

  /// Whether a step takes effect without the timestamp's condition: who publishes there must be known before.
  var needsLook: Bool {
    steps.contains { step in
      switch step {
      case .metadata(let file): file.isRoot
      case .removal: true
      case .object, .commit: false
      }
    }
  }
}

/// What follows from the answer to a put. Pure.
enum MirrorDecision: Hashable {
  case done(tag: String?)
  /// What is there decides: metadata of that name, or the timestamp.
  case compare
  case again(String)
  case fail(MirrorError)

  enum Kind: CaseIterable { case object, metadata, commit }

  init(_ reply: PutReply, to kind: Kind) {
    self =
      switch (reply, kind) {
      case (.done(let tag), _): .done(tag: tag)
      case (.unmet, _): .compare
      // The other one may have won.
      case (.disputed, .commit): .compare
      case (.disputed, _): .again("it takes another file of the same name")
      case (.absent, .commit): .compare
      case (.absent, _): .fail(.refused("there is no such place; make it, and the next step fills it"))
      // It may have been done all the same.
      case (.unheard, .commit): .compare
      case (.unheard(let text), _): .again(text)
      }
  }
}
