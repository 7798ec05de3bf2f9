import Foundation
import SeedDatabase
import SeedSystem

/// By what a writer at work can be told from one that is not, without keeping one away.
struct StoreWitness: Hashable {
  /// Whether a process has the right to write just now.
  let isInUse: Bool
  private let pointer: GenerationPointer?
  private let times: [Date?]

  init(_ layout: StoreLayout) throws {
    isInUse = try Self.isLocked(layout)
    pointer = try layout.pointer()
    let files = pointer?.names.map { layout.folder($0).file } ?? []
    times = files.flatMap { [$0, "\($0)-wal"] }.map(Self.changed)
  }

  /// Asks for a lock that readers share, and gives it back at once.
  private static func isLocked(_ layout: StoreLayout) throws -> Bool {
    guard Folder.exists(layout.lock) else { return false }
    let file = try File(layout.lock, for: .reading)
    defer { file.unlock() }
    return try !file.tryShare()
  }

  private static func changed(_ path: String) -> Date? {
    try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
  }
}
