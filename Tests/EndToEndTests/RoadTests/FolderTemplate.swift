import Foundation
import SeedSystem
import Support

/// The content of a folder, made once by real commands; each test gets a copy with the same keys.
final class FolderTemplate: Sendable {
  private let saved = Shared<(folder: TemporaryFolder, time: ContinuousClock.Instant)?>(nil)
  /// Tests may expect a recent publication.
  private static let longestAge = Duration.seconds(60)

  /// Fills a folder with a copy, or with `make` if there is no recent one.
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
  func text(_ name: String) throws -> String { try String(contentsOfFile: self(name), encoding: .utf8) }

  func exists(_ name: String) -> Bool { Folder.exists(self(name)) }

  /// Writes a file, and makes its folder.
  func write(_ text: String, to name: String) throws { try write(Array(text.utf8), to: name) }

  func write(_ bytes: [UInt8], to name: String) throws {
    try FileManager.default.createDirectory(
      atPath: Folder.parent(of: self(name)), withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(filePath: self(name)))
  }

  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: self(name), withIntermediateDirectories: true)
  }

  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: self(name)) }

  /// Changes a text file in it.
  func edit(_ name: String, _ change: (String) -> String) throws {
    try write(change(text(name)), to: name)
  }

  /// Ends the grace period of all files that metadata no longer names.
  func endGrace(in state: String) throws {
    let memory = "\(state)/unnamed-files.json"
    if exists(memory) { try edit(memory) { $0.replacing(/:\d+/, with: ":1") } }
  }

  /// Replaces a file or folder in it, or makes one, with a copy of another one.
  func replace(_ name: String, by source: String) throws {
    try Tool.run(["bash", "-c", #"rm -rf "$1" && cp -a "$0" "$1""#, self(source), self(name)])
  }

  /// The paths of all files and folders in it, sorted.
  var files: [String] { (try? FileManager.default.subpathsOfDirectory(atPath: path).sorted()) ?? [] }

  func mode(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: self(name))
    return attributes[.posixPermissions] as? Int ?? 0
  }

  @discardableResult
  func sqlite(_ name: String, _ sql: String) throws -> String { try Tool.sqlite(self(name), sql) }

  func seedbank(_ arguments: String..., environment: [String: String] = [:]) throws -> ProgramOutcome {
    try SeedbankBinary.run(arguments, environment: environment, in: path)
  }

  /// Runs a command that must succeed, and returns its output.
  @discardableResult
  func succeed(_ arguments: String...) throws -> String {
    try SeedbankBinary.succeed(arguments, in: path)
  }
}
