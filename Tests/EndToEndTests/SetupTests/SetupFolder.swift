import Support

import class Foundation.FileManager
import struct Foundation.URL
import struct Foundation.UUID

@testable import seedbank

/// A fresh folder that goes when this does, with databases made by the sqlite3 tool.
final class SetupFolder {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent("seedbank-\(UUID())").path

  init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name)) }

  func text(_ name: String) throws -> String { try TextFile.text(file(name)) }

  /// Every file below, by its path from here.
  var files: [String] { (try? FileManager.default.subpathsOfDirectory(atPath: path).sorted()) ?? [] }

  /// The permissions of a file or folder.
  func mode(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: file(name))
    return attributes[.posixPermissions] as? Int ?? 0
  }

  /// Runs the sqlite3 tool on a database here; returns what it prints.
  @discardableResult
  func sqlite(_ name: String, _ sql: String) throws -> String {
    let outcome = try TestProgram.run(["sqlite3", "-bail", file(name)], input: .text(sql))
    guard outcome.status == 0 else { throw CommandFailure(.failure, "sqlite3 refused: \(sql)") }
    return outcome.output
  }

  /// Runs the command here.
  func seedbank(_ arguments: String...) throws -> ProgramOutcome {
    try SeedbankBinary.run(arguments, in: path)
  }

  /// What `init` would make of a database with this content.
  func draft(_ sql: String) throws -> SchemaDraft {
    try sqlite("origin.sqlite", sql)
    return try SchemaDraft(OriginSurvey(file("origin.sqlite")))
  }
}

extension SchemaDraft {
  /// The file's text.
  var text: String { text(header: "A test.") }

  /// What was skipped, without the reasons.
  var skipped: [String] { notes.map { "\($0.kind.rawValue) \($0.name)" } }
}
