import SeedDatabase
import SeedSystem

/// Which generation counts, and to which one there is a way back.
struct GenerationPointer: Hashable, Sendable {
  let current: String
  let previous: String?

  /// The current one first.
  var names: [String] { [current] + (previous.map { [$0] } ?? []) }
}

extension StoreLayout {
  /// Bytes that the file `CURRENT` has at most.
  private static let currentBytes = 128

  /// The generations that count, if there are any. The current one's record names the one before it, so that one
  /// durable write changes both.
  func pointer() throws(FileError) -> GenerationPointer? {
    guard let name = try currentName() else { return nil }
    let previous = try GenerationRecord(of: folder(name))?.previous
    return GenerationPointer(
      current: name, previous: previous.flatMap { Folder.exists(folder($0).record) ? $0 : nil })
  }

  /// Makes a generation count, durably.
  func setCurrent(_ name: String) throws(FileError) {
    try DurableFile.write(Array("\(name)\n".utf8), to: current, mode: 0o600)
  }

  private func currentName() throws(FileError) -> String? {
    let bytes = try DurableFile.readIfPresent(current, limit: Self.currentBytes) ?? []
    let name = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first.map(String.init)
    return name.flatMap { Self.isName($0) ? $0 : nil }
  }

  /// Whether a text can be a generation's name, and nothing that leads elsewhere.
  static func isName(_ text: String) -> Bool {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) || $0 == 0x2D }
  }
}
