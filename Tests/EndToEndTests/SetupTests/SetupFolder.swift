import Foundation
import Support

/// A temporary folder for databases made by sqlite3.
final class SetupFolder {
  private let folder: TemporaryFolder
  var path: String { folder.path }

  init() throws { folder = try TemporaryFolder(inMemory: true) }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name)) }

  func text(_ name: String) throws -> String { try String(contentsOfFile: file(name), encoding: .utf8) }

  /// The paths of all files and folders in it, sorted.
  var files: [String] { (try? FileManager.default.subpathsOfDirectory(atPath: path).sorted()) ?? [] }

  func mode(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: file(name))
    return attributes[.posixPermissions] as? Int ?? 0
  }

  @discardableResult
  func sqlite(_ name: String, _ sql: String) throws -> String {
    try Tool.run(["sqlite3", "-bail", file(name)], input: sql)
  }

  func seedbank(_ arguments: String...) throws -> ProgramOutcome {
    try SeedbankBinary.run(arguments, in: path)
  }
}
