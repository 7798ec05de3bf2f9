import SeedFormat
import SeedServer
import SeedSystem

/// What was told last of some topics, in a file beside the working copies: a timer starts a process each time, and it must
/// not tell the same again. Where it is lost, something is told twice.
final class NoticeMemory: Sendable {
  private let path: String
  private let lock = Mutex(())

  private static let mostBytes = 1024 * 1024

  init(_ stateFolder: String) { path = "\(stateFolder)/notices.json" }

  /// Notes a text of a topic; true where it is not the one before.
  func isNews(_ topic: String, _ text: String) -> Bool {
    change { told in
      guard told.first(where: { $0.name == topic })?.value != .string(text) else { return false }
      told.removeAll { $0.name == topic }
      told.append(JSONMember(topic, .string(text)))
      return true
    }
  }

  func forget(_ topic: String) {
    _ = change { told in
      let count = told.count
      told.removeAll { $0.name == topic }
      return told.count < count
    }
  }

  /// Writes what `body` changed. A disk that does not take it lets something be told twice, and steps say what is wrong
  /// with the disk.
  private func change(_ body: (inout [JSONMember]) -> Bool) -> Bool {
    lock.withLock { _ in
      let bytes = try? DurableFile.readIfPresent(path, limit: Self.mostBytes)
      var told = bytes.flatMap { try? JSONValue(parsing: $0).members } ?? []
      guard body(&told) else { return false }
      try? Folder.create(Folder.parent(of: path))
      try? DurableFile.write(JSONValue.object(told).bytes, to: path)
      return true
    }
  }
}
