import Foundation

/// The benchmark's own PostgreSQL server, reached through a socket in its folder.
final class PostgresServer {
  let folder: String
  private let program: Program

  /// Debian's folder of server programs, outside of PATH.
  private static let programs = "/usr/lib/postgresql/15/bin"
  /// Excludes the disk and background work from the measurement.
  private static let settings = ["listen_addresses=", "fsync=off", "autovacuum=off", "max_wal_size=4GB"]
  private static let patienceSeconds = 60

  init(_ folder: String) throws {
    self.folder = folder
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try OrdinaryUser.give(folder)
    let setup = [
      "initdb", "-D", "\(folder)/data", "-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8",
    ]
    try Tool.run("/usr/bin/env", Self.unprivileged(setup + ["--locale=C.UTF-8"]))
    let command = ["postgres", "-D", "\(folder)/data", "-k", folder]
    program = try Program(
      ["/usr/bin/env"] + Self.unprivileged(command + Self.settings.flatMap { ["-c", $0] }), in: "/")
    for _ in 0..<Self.patienceSeconds * 10 {
      if (try? psql("SELECT 1", in: "postgres")) != nil { return }
      Thread.sleep(forTimeInterval: 0.1)
    }
    throw BenchmarkError.child("PostgreSQL does not answer")
  }

  /// PostgreSQL refuses to run as root.
  private static func unprivileged(_ command: [String]) -> [String] {
    OrdinaryUser.running(["\(programs)/\(command[0])"] + command.dropFirst())
  }

  /// Stops the server despite open connections.
  func stop() { program.stop(SIGINT) }

  /// The URL for libpq.
  func url(_ database: String) -> String { "postgres://postgres@/\(database)?host=\(folder)" }

  /// A shell command that runs `psql` on a database.
  func psqlCommand(_ database: String) -> String { "psql -Xq -v ON_ERROR_STOP=1 '\(url(database))'" }

  @discardableResult
  func psql(_ sql: String, in database: String) throws -> ToolRun {
    try measured("psql", ["-Xq", "-v", "ON_ERROR_STOP=1", url(database)], input: sql)
  }

  /// Runs a program to its end and adds the server's processor time.
  func measured(_ program: String, _ arguments: [String], input: String = "") throws -> ToolRun {
    let before = processorSeconds
    var run = try Tool.run(program, arguments, input: input)
    run.processorSeconds += processorSeconds - before
    return run
  }

  /// The server's processor time including current and past sessions.
  private var processorSeconds: Double { ProcessTimes.secondsWithChildren(program.identifier) }
}
