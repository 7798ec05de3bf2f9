/// A writer with a permanent connection, so that the WAL stays.
struct OpenWriter {
  private let program: Program

  init(_ database: String) throws {
    program = try Program(["sqlite3", "-cmd", ".timeout 10000", database])
  }

  func write(_ sql: String) throws { try program.write("\(sql)\n") }
}
