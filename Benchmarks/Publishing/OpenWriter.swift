import Foundation

/// A writer with a permanent connection, so that the WAL stays.
final class OpenWriter {
  private let process = Process()
  private let input = Pipe()

  init(_ database: String) throws {
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["sqlite3", "-cmd", ".timeout 10000", database]
    process.standardInput = input
    process.standardOutput = FileHandle.nullDevice
    try process.run()
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  func write(_ sql: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data("\(sql)\n".utf8))
  }
}
