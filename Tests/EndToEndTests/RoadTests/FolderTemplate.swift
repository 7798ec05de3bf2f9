import Foundation
import Support

/// The content of a folder, made once by real commands; each test gets a copy with the same keys.
final class FolderTemplate: Sendable {
  private let saved = Shared<(folder: TemporaryFolder, time: ContinuousClock.Instant)?>(nil)
  /// Tests may expect a recent publication.
  private static let longestAge = Duration.seconds(60)

  /// Fills a folder by a copy, or by `make` if there is no recent one.
  func fill(_ folder: TemporaryFolder, _ make: () throws -> Void) throws {
    if let saved = saved.withLock({ $0 }), ContinuousClock.now - saved.time < Self.longestAge {
      try Tool.run(["cp", "-a", "\(saved.folder.path)/.", folder.path])
      return
    }
    try make()
    let copy = try TemporaryFolder()
    try Tool.run(["cp", "-a", "\(folder.path)/.", copy.path])
    saved.withLock { $0 = (copy, ContinuousClock.now) }
  }
}

extension TemporaryFolder {
  /// Changes a text file in it.
  func edit(_ name: String, _ change: (String) -> String) throws {
    let text = try String(contentsOfFile: self(name), encoding: .utf8)
    try change(text).write(toFile: self(name), atomically: false, encoding: .utf8)
  }

  /// Replaces a file or folder in it, or makes one, by a copy of another one.
  func replace(_ name: String, by source: String) throws {
    try Tool.run(["bash", "-c", #"rm -rf "$1" && cp -a "$0" "$1""#, self(source), self(name)])
  }
}
