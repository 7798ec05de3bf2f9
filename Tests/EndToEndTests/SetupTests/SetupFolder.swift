import Support

import class Foundation.FileManager
import struct Foundation.URL
import struct Foundation.UUID

@testable import seedbank

/// A temporary folder for databases made by sqlite3; `deinit` removes it.
final class SetupFolder {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent("seedbank-\(UUID())").path

  init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name)) }

  func text(_ name: String) throws -> String { try TextFile.text(file(name)) }

  /// The paths of all files and folders in it, sorted.
  var files: [String] { (try? FileManager.default.subpathsOfDirectory(atPath: path).sorted()) ?? [] }

  func mode(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: file(name))
    return attributes[.posixPermissions] as? Int ?? 0
  }

  @discardableResult
  func sqlite(_ name: String, _ sql: String) throws -> String {
    let outcome = try TestProgram.run(["sqlite3", "-bail", file(name)], input: .text(sql))
    guard outcome.status == 0 else { throw CommandFailure(.failure, "sqlite3 refused: \(sql)") }
    return outcome.output
  }

  func seedbank(_ arguments: String...) throws -> ProgramOutcome {
    try SeedbankBinary.run(arguments, in: path)
  }

  /// Returns the draft that `init` makes of a database with this content.
  func draft(_ sql: String) throws -> SchemaDraft {
    try sqlite("origin.sqlite", sql)
    return try SchemaDraft(OriginSurvey(file("origin.sqlite")))
  }
}

extension SchemaDraft {
  var text: String { text(header: "A test.") }

  var skipped: [String] { notes.map { "\($0.kind.rawValue) \($0.name)" } }
}
