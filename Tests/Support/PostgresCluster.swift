#if os(Linux)
import Foundation
import SeedClientTesting
import SeedSystem

/// A PostgreSQL server of the tests' own, reached through a socket in its folder. It ends with the tests' process.
package final class PostgresCluster: Sendable {
  /// Its data, and its socket.
  package let folder: String
  private let created = Mutex(0)
  /// Where Debian keeps the programs that are not for every user's PATH.
  private static let programs = "/usr/lib/postgresql/15/bin"

  /// The server that most tests share; each has a database of its own.
  package static let shared = Result { try PostgresCluster() }

  /// Makes a cluster in a new folder and starts its server.
  package convenience init() throws {
    try self.init { folder in
      [
        "initdb", "-D", "\(folder)/data", "-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8",
        "--locale=C.UTF-8",
      ]
    }
    try guardOneUser()
    try start([])
  }

  /// A standby of another server, which follows it at once, whoever reads here.
  package convenience init(standbyOf primary: PostgresCluster) throws {
    try self.init { folder in
      ["pg_basebackup", "-D", "\(folder)/data", "-R", "-h", primary.folder, "-U", "postgres", "-c", "fast"]
    }
    try start(["max_standby_streaming_delay=0"])
  }

  private init(_ command: (_ folder: String) -> [String]) throws {
    folder =
      "/tmp/seedbank-pg-\(ProcessInfo.processInfo.processIdentifier)-\(UInt32.random(in: 0...UInt32.max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    if geteuid() == 0 { chown(folder, Self.nobody, Self.nobody) }
    let parts = command(folder)
    try Self.run(Self.unprivileged(["\(Self.programs)/\(parts[0])"] + parts.dropFirst()))
  }

  /// PostgreSQL refuses to run as root.
  private static let nobody: UInt32 = 65534

  private static func unprivileged(_ command: [String]) -> [String] {
    guard geteuid() == 0 else { return command }
    return ["setpriv", "--reuid=\(nobody)", "--regid=\(nobody)", "--clear-groups"] + command
  }

  private static let settings = [
    "listen_addresses=", "fsync=off", "max_connections=200", "password_encryption=scram-sha-256",
  ]

  /// All that were started, for the end of the tests.
  private static let started = Mutex<[(server: TestProgram, folder: String)]>([])

  private func start(_ own: [String]) throws {
    let command = ["\(Self.programs)/postgres", "-D", "\(folder)/data", "-k", folder]
    let server = try Self.program(Self.unprivileged(command + (Self.settings + own).flatMap { ["-c", $0] }))
    Self.started.withLock { started in
      if started.isEmpty { atexit { PostgresCluster.endAll() } }
      started.append((server, folder))
    }
    try eventually("PostgreSQL answers") { try? psql("postgres", "SELECT 1") }
  }

  private static func endAll() {
    for (server, folder) in started.withLock({ $0 }) {
      // What it still writes would stay behind.
      _ = try? server.stop(SIGQUIT)
      try? FileManager.default.removeItem(atPath: folder)
    }
  }

  /// Everybody may come in, but for one, of whom a password is asked.
  private func guardOneUser() throws {
    let file = "\(folder)/data/pg_hba.conf"
    let rules = try String(contentsOfFile: file, encoding: .utf8)
    try "local all guarded scram-sha-256\nlocal all banned reject\n\(rules)"
      .write(toFile: file, atomically: false, encoding: .utf8)
  }

  /// A new database, and what is in it.
  package func database(_ sql: String = "", options: String = "") throws -> PostgresDatabase {
    let number = created.withLock { count in
      count += 1
      return count
    }
    let name = "test_\(number)"
    try psql("postgres", "CREATE DATABASE \(name) \(options)")
    let database = PostgresDatabase(cluster: self, name: name)
    if !sql.isEmpty { try database.run(sql) }
    return database
  }

  /// Runs SQL by PostgreSQL's own client, as the superuser.
  @discardableResult
  package func psql(_ database: String, _ sql: String) throws -> String {
    try Self.run(
      [
        "\(Self.programs)/psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-h", folder, "-U", "postgres", "-d",
        database,
      ],
      input: sql)
  }

  /// Ends the server at once, as a failure of power would.
  package func crash() throws {
    let control = ["\(Self.programs)/pg_ctl", "-D", "\(folder)/data", "-m", "immediate", "stop"]
    try Self.run(Self.unprivileged(control))
  }

  @discardableResult
  private static func run(_ command: [String], input: String = "") throws -> String {
    let outcome = try program(command, input: input).outcome(within: longestWait)
    guard outcome.status == 0 else { throw PostgresFailure(command: command, output: outcome.output) }
    return outcome.output
  }

  private static func program(_ command: [String], input: String = "") throws -> TestProgram {
    // In a folder that each user may enter.
    try TestProgram(command, in: "/", input: .text(input), joined: true)
  }
}

/// One database of a test's own.
package struct PostgresDatabase: Sendable {
  private let cluster: PostgresCluster
  /// Its name on the server.
  package let name: String

  fileprivate init(cluster: PostgresCluster, name: String) { (self.cluster, self.name) = (cluster, name) }

  /// As libpq takes it.
  package func url(user: String = "postgres", password: String = "") -> String {
    "postgres://\(user)\(password.isEmpty ? "" : ":\(password)")@/\(name)?host=\(cluster.folder)"
  }

  /// The same database on another server, such as a standby.
  package func on(_ cluster: PostgresCluster) -> PostgresDatabase {
    PostgresDatabase(cluster: cluster, name: name)
  }

  /// Runs SQL as the superuser, and returns what it prints.
  @discardableResult
  package func run(_ sql: String) throws -> String { try cluster.psql(name, sql) }
}

/// A program of PostgreSQL that failed.
package struct PostgresFailure: Error {
  package let command: [String]
  package let output: String
}
#endif
