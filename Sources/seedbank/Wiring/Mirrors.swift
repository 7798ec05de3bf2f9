import SeedFormat
import SeedPublication
import SeedSystem

/// A deployment's mirrors, updated concurrently with its steps: a slow or failed mirror never stops a step.
struct Mirrors: Sendable {
  private let mirrors: [Mirror]
  private let publication: PublicationDirectory
  private let console: Console
  private let hasFacts: Bool
  private let standing = Standing()

  private final class Standing: Sendable {
    let state = Mutex<(isOver: Bool, failure: MirrorFailure?)>((false, nil))
  }

  /// How often to check whether any process has published.
  private static let look = Duration.milliseconds(200)
  /// Time limit for all mirrors before publishing.
  private static let checkTime = Duration.seconds(5)

  init(_ configuration: DeploymentConfiguration, _ publication: PublicationDirectory, _ context: Context) {
    (self.publication, console) = (publication, context.console)
    hasFacts = configuration.hasFacts
    mirrors = configuration.openMirrors(context.environment) { [standing] in
      standing.state.withLock { $0.isOver }
    }
  }

  /// Throws if another publisher is ahead; call it before publishing. Ignores slow mirrors; the push checks them again.
  func check() async throws {
    let (answers, answer) = AsyncStream.makeStream(of: MirrorFailure?.self)
    for mirror in mirrors { Task { answer.yield(try? await blocking { refusal(of: mirror) }) } }
    let end = Task {
      try await Task.sleep(for: Self.checkTime)
      answer.finish()
    }
    defer { end.cancel() }
    for await case let failure? in answers.prefix(mirrors.count) { throw failure }
  }

  private func refusal(of mirror: Mirror) -> MirrorFailure? {
    guard publication.exists else { return nil }
    do {
      try mirror.compare(publication)
      return nil
    } catch { return (error as? MirrorFailure).flatMap { $0.error.stopsPublisher ? $0 : nil } }
  }

  /// Updates all mirrors at the same time. Throws at the end if another publisher is ahead on a mirror.
  func push() async throws {
    let failure = await withTaskGroup { group in
      for mirror in mirrors { group.addTask { await push(mirror) } }
      return await group.reduce(nil as MirrorFailure?) { $0 ?? $1 }
    }
    await updateFacts()
    if let failure { throw failure }
  }

  /// Returns a failure only if it stops the publisher; warns of others.
  private func push(_ mirror: Mirror) async -> MirrorFailure? {
    do {
      _ = try await blocking { [publication] in try mirror.bringUpToDate(publication, now: .now()) }
    } catch let failure as MirrorFailure where failure.error.stopsPublisher {
      return failure
    } catch { console.warning(Self.warning(error, of: mirror)) }
    return nil
  }

  /// Runs until cancelled; calls `stop` if another publisher is ahead on a mirror.
  func follow(stop: @escaping @Sendable () -> Void) async {
    // Removes the facts of mirrors that are no longer configured.
    await updateFacts()
    await withTaskCancellationHandler {
      await withTaskGroup { group in
        for mirror in mirrors { group.addTask { await follow(mirror, stop) } }
      }
    } onCancel: { [standing] in
      standing.state.withLock { $0.isOver = true }
    }
  }

  var failure: MirrorFailure? { standing.state.withLock { $0.failure } }

  private func follow(_ mirror: Mirror, _ stop: @Sendable () -> Void) async {
    var watch = Watch()
    while !Task.isCancelled, failure == nil {
      let stamp = publication.timestampStamp
      if watch.interval.isDue(stamp, at: .now) {
        await attempt(mirror, stamp, &watch, stop)
        await updateFacts()
      }
      try? await Task.sleep(for: Self.look)
    }
  }

  private struct Watch {
    var interval = MirrorInterval(.now)
    /// Replaced once the mirror is up to date, so that the same failure is logged again, even on the same day.
    var repeated = RepeatedWarnings()
  }

  private func attempt(
    _ mirror: Mirror, _ stamp: FileStamp?, _ watch: inout Watch, _ stop: @Sendable () -> Void
  ) async {
    do {
      var mirror = mirror
      if watch.interval.shows(stamp) { mirror.options.looksFirst = true }
      let report = try await blocking { [publication, mirror] in
        try mirror.bringUpToDate(publication, now: .now())
      }
      if report != MirrorReport() { log(mirror, report) }
      noteSuccess(mirror, stamp, &watch)
    } catch {
      if Self.isHarmless(error) {
        noteSuccess(mirror, stamp, &watch)
      } else {
        watch.interval.failed(at: .now)
      }
      if let failure = error as? MirrorFailure, failure.error.stopsPublisher {
        standing.state.withLock { $0.failure = $0.failure ?? failure }
        stop()
      } else if !Task.isCancelled, watch.repeated.isDue("\(error)", now: .now()) {
        console.warning(Self.warning(error, of: mirror))
      }
    }
  }

  /// Updates the facts for monitors; ignores failures. Runs on its own thread, because the facts' lock may be held.
  func updateFacts() async {
    try? await blocking {
      guard publication.exists else { return }
      try publication.facts.write(
        hasFacts && !mirrors.isEmpty ? MirrorFacts(behindSince: mirrors.map(\.behindSince)) : nil)
    }
  }

  private func noteSuccess(_ mirror: Mirror, _ stamp: FileStamp?, _ watch: inout Watch) {
    if watch.interval.isFailing {
      console.note("the mirror \(mirror.place) is up to date again")
      watch.repeated = RepeatedWarnings()
    }
    watch.interval.succeeded(stamp, at: .now)
  }

  private func log(_ mirror: Mirror, _ report: MirrorReport) {
    console.log(
      LogRecord(
        .debug, "the mirror \(mirror.place): \(report.words)",
        [JSONMember("mirror", .string(mirror.place)), JSONMember("bytes", JSONValue(report.bytes))]))
  }

  private static func isHarmless(_ error: any Error) -> Bool {
    (error as? MirrorFailure)?.error.isHarmless == true
  }

  private static func warning(_ error: any Error, of mirror: Mirror) -> String {
    let message = Refusal(of: error).message
    // Another process is updating this mirror to the newest version.
    if case PublicationError.locked = error { return message }
    if isHarmless(error) { return "\(message) Its clients get the current version." }
    // Errors of the publication and of other local files do not name the mirror.
    guard error is MirrorFailure else {
      return "\(message) The mirror \(mirror.place) is not updated until that is fixed."
    }
    return "\(message) It is behind until that is fixed; the publication here is not affected."
  }
}

extension MirrorReport {
  var words: String {
    guard self != MirrorReport() else { return "up to date" }
    let parts = [
      files > 0 ? "\(files.counted("file")) copied, \(ByteCount(bytes: bytes))" : nil,
      removed > 0 ? "\(removed) removed" : nil,
    ]
    return parts.compactMap(\.self).joined(separator: ", ")
  }
}
