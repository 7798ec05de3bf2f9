import SeedFormat
import SeedServer
import SeedSystem

/// What was told last of some topics, in a file beside the working copies: a timer starts a process each time, and it must
/// not tell the same again. A text is remembered once its program has ended well, so that no kill loses it: where the
/// file is lost, or a process dies just before it writes there, something is told twice.
final class NoticeMemory: Sendable {
  /// What is told once, until the topic has another text or is forgotten.
  struct Entry: Hashable, Sendable {
    let topic: String
    let text: String
  }

  /// What this process has told, or is about to tell.
  private struct Attempt {
    let text: String
    var failed: SuspendingClock.Instant?
  }

  private let path: String
  private let retryPause: Duration
  private let attempts = Mutex<[String: Attempt]>([:])

  private static let mostBytes = 1024 * 1024

  /// `retryPause` lies between two starts of a program that fails.
  init(_ stateFolder: String, retryPause: Duration) {
    path = "\(stateFolder)/notices.json"
    self.retryPause = retryPause
  }

  /// Whether it is to be told now; then whoever asks tells it, and says how that ended.
  func begin(_ entry: Entry) -> Bool {
    attempts.withLock { attempts in
      let last = attempts[entry.topic].flatMap { $0.text == entry.text ? $0 : nil }
      let isDue = last.map(mayRetry) ?? (told.first { $0.name == entry.topic }?.value != .string(entry.text))
      if isDue { attempts[entry.topic] = Attempt(text: entry.text) }
      return isDue
    }
  }

  private func mayRetry(_ attempt: Attempt) -> Bool {
    attempt.failed.map { SuspendingClock.now - $0 >= retryPause } ?? false
  }

  /// Ends what ``begin(_:)`` began. What was forgotten meanwhile stays forgotten.
  func end(_ entry: Entry, isTold: Bool) {
    attempts.withLock { attempts in
      guard attempts[entry.topic]?.text == entry.text else { return }
      guard isTold else {
        attempts[entry.topic]?.failed = .now
        return
      }
      // A disk that does not take it lets something be told twice, and steps say what is wrong with the disk.
      try? write(told.filter { $0.name != entry.topic } + [JSONMember(entry.topic, .string(entry.text))])
    }
  }

  func forget(_ topic: String) {
    attempts.withLock { attempts in
      attempts[topic] = nil
      let (before, after) = (told, told.filter { $0.name != topic })
      guard after.count < before.count else { return }
      do throws(FileError) {
        try write(after)
      } catch {
        // To tell something twice is better than to keep silent when it comes again.
        try? Folder.remove(path)
      }
    }
  }

  private var told: [JSONMember] {
    let bytes = try? DurableFile.readIfPresent(path, limit: Self.mostBytes)
    return bytes.flatMap { try? JSONValue(parsing: $0).members } ?? []
  }

  private func write(_ told: [JSONMember]) throws(FileError) {
    try Folder.create(Folder.parent(of: path))
    try DurableFile.write(JSONValue.object(told).bytes, to: path)
  }
}
