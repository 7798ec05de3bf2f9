#if os(Linux)
import Foundation
import SeedClientTesting
import SeedSystem

/// A temporary PostgreSQL server with a socket in its folder. It stops with the tests' process.
package final class PostgresCluster: Sendable {
  package let folder: String
  private let created = Mutex(0)
  /// Debian's folder for programs that are not in PATH.
  private static let programs = "/usr/lib/postgresql/15/bin"

  /// The server for most tests, each with its own database.
  package static let shared = Result { try PostgresCluster() }

  /// The files of a new server, made once.
  private static let template = Result {
    let folder = try emptyFolder()
    try run(
      unprivileged([
        "\(programs)/initdb", "-D", folder + "/data", "-A", "trust", "-U", "postgres", "--no-sync", "-E",
        "UTF8",
        "--locale=C.UTF-8", "--wal-segsize=1",
      ]))
    return folder + "/data"
  }

  private convenience init(fresh: Void) throws {
    let template = try Self.template.get()
    try self.init { folder in ["cp", "-a", template, "\(folder)/data"] }
  }

  private convenience init(backup server: PostgresCluster, _ more: [String] = []) throws {
    try self.init { folder in
      [
        "\(Self.programs)/pg_basebackup", "-D", "\(folder)/data", "-h", server.folder, "-U", "postgres", "-c",
        "fast", "--no-sync",
      ] + more
    }
  }

  /// - Parameter isArchiving: Whether to archive the write-ahead log for recovery of a backup.
  package convenience init(_ settings: [String] = [], isArchiving: Bool = false) throws {
    try self.init(fresh: ())
    try guardOneUser()
    if isArchiving { try Self.run(Self.unprivileged(["mkdir", archive])) }
    let archiving = ["archive_mode=on", "archive_command=cp %p \(archive)/%f"]
    try start(settings + (isArchiving ? archiving : []))
  }

  /// A server that also listens on a loopback address, with TLS, a password for one user, and a self-signed certificate
  /// for `localhost`.
  package convenience init(secureOn address: String) throws {
    try self.init(fresh: ())
    try putRules(
      "hostnossl all all 127.0.0.0/8 reject\nhostssl all guarded 127.0.0.0/8 scram-sha-256\n"
        + "hostssl all all 127.0.0.0/8 trust\n")
    for name in ["server", "other"] { try makeCertificate(name) }
    try start([
      "listen_addresses=\(address)", "ssl=on", "ssl_cert_file=\(certificate)",
      "ssl_key_file=\(folder)/server.key",
    ])
  }

  /// The certificate that clients must trust.
  package var certificate: String { "\(folder)/server.crt" }
  /// A certificate unrelated to the server's.
  package var otherCertificate: String { "\(folder)/other.crt" }

  private func makeCertificate(_ name: String) throws {
    try Self.run(
      Self.unprivileged([
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-keyout", "\(folder)/\(name).key", "-out", "\(folder)/\(name).crt", "-days", "2", "-subj",
        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
      ]))
  }

  private var archive: String { "\(folder)/archive" }

  /// A standby; by default replay cancels conflicting queries at once.
  package convenience init(
    standbyOf primary: PostgresCluster, _ settings: [String] = ["max_standby_streaming_delay=0"]
  ) throws {
    try self.init(backup: primary, ["-R"])
    try start(settings)
  }

  /// A copy of another server's disk, from which both diverge.
  package convenience init(copyOf other: PostgresCluster) throws {
    try self.init(backup: other)
    try start([])
  }

  /// A backup of another server, started by ``recover(by:to:_:)``.
  package convenience init(backupOf other: PostgresCluster) throws {
    try self.init(backup: other)
  }

  /// Recovers a backup to just before a point in the server's archived log, then promotes it.
  package func recover(by server: PostgresCluster, to target: String, _ value: String) throws {
    try Self.run(Self.unprivileged(["touch", "\(folder)/data/recovery.signal"]))
    try start([
      "restore_command=cp \(server.archive)/%f %p", "recovery_target_\(target)=\(value)",
      "recovery_target_inclusive=off", "recovery_target_action=promote",
    ])
    try waitUntil("it is recovered") {
      try psql("postgres", "SELECT pg_is_in_recovery()") == "f\n"
    }
  }

  /// Waits until the log written so far is archived.
  package func archiveLog() throws {
    let file = try psql("postgres", "SELECT pg_walfile_name(pg_switch_wal())").filter { !$0.isNewline }
    try waitUntil("the log is archived") {
      try psql("postgres", "SELECT last_archived_wal >= '\(file)' FROM pg_stat_archiver") == "t\n"
    }
  }

  private init(_ command: (_ folder: String) -> [String]) throws {
    folder = try Self.emptyFolder()
    try Self.run(Self.unprivileged(command(folder)))
  }

  private static func emptyFolder() throws -> String {
    // A socket's path has at most 107 bytes.
    let folder =
      FileManager.default.temporaryDirectory.appending(path: "pg-\(UInt32.random(in: 0 ... .max))").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    if geteuid() == 0 { chown(folder, nobody, nobody) }
    return folder
  }

  /// PostgreSQL does not run as root.
  private static let nobody: UInt32 = 65534

  private static func unprivileged(_ command: [String]) -> [String] {
    guard geteuid() == 0 else { return command }
    return ["setpriv", "--reuid=\(nobody)", "--regid=\(nobody)", "--clear-groups"] + command
  }

  /// No test vacuums by chance: it would cancel a standby's queries, and its transactions would keep log entries.
  private static let settings = [
    "listen_addresses=", "fsync=off", "max_connections=200", "password_encryption=scram-sha-256",
    "max_wal_size=1GB", "autovacuum=off",
  ]

  private static let started = Mutex<[TestProgram]>([])

  private func start(_ own: [String]) throws {
    let command = ["\(Self.programs)/postgres", "-D", "\(folder)/data", "-k", folder]
    let server = try Self.program(Self.unprivileged(command + (Self.settings + own).flatMap { ["-c", $0] }))
    Self.started.withLock { started in
      if started.isEmpty { atexit { PostgresCluster.endAll() } }
      started.append(server)
    }
    try eventually("PostgreSQL answers") {
      // Checking for the socket's file is cheaper than a refused connection.
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      return names.contains { $0.hasPrefix(".s.PGSQL") } ? try? psql("postgres", "SELECT 1") : nil
    }
  }

  private static func endAll() {
    // Their folders are in the tests' temporary folder.
    let servers = started.withLock { $0 }
    for server in servers { server.send(SIGQUIT) }
    for server in servers { _ = try? server.wait() }
  }

  /// All users may connect without a password except `guarded`, who needs one, and `banned`.
  private func guardOneUser() throws {
    try putRules("local all guarded scram-sha-256\nlocal all banned reject\n")
  }

  /// Precedes the existing rules.
  private func putRules(_ own: String) throws {
    let file = "\(folder)/data/pg_hba.conf"
    let rules = try String(contentsOfFile: file, encoding: .utf8)
    try (own + rules).write(toFile: file, atomically: false, encoding: .utf8)
  }

  package func database(_ sql: String = "", options: String = "") throws -> PostgresDatabase {
    let number = created.withLock { count in
      count += 1
      return count
    }
    let name = "test_\(number)"
    try psql("postgres", "CREATE DATABASE \(name) \(options);\n\\connect \(name)\n\(sql)")
    return PostgresDatabase(cluster: self, name: name)
  }

  /// Runs SQL with psql as the superuser.
  @discardableResult
  package func psql(_ database: String, _ sql: String) throws -> String {
    try Self.run(
      [
        "\(Self.programs)/psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-h", folder, "-U", "postgres", "-d",
        database,
      ],
      input: sql)
  }

  /// Restarts the server after a simulated power failure.
  package func restart() throws {
    try crash()
    try start([])
  }

  package func promote() throws {
    try Self.run(Self.unprivileged(["\(Self.programs)/pg_ctl", "-D", "\(folder)/data", "-w", "promote"]))
  }

  package func dump(_ database: PostgresDatabase) throws -> String {
    try Self.run(["\(Self.programs)/pg_dump", "-h", folder, "-U", "postgres", database.name])
  }

  /// Stops the server like a power failure.
  package func crash() throws {
    let control = ["\(Self.programs)/pg_ctl", "-D", "\(folder)/data", "-m", "immediate", "stop"]
    try Self.run(Self.unprivileged(control))
  }

  /// Kills one of the server's processes. The server then ends the others and recovers, with its former time of start.
  package func crashWriter() throws {
    let writer = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'"
    let former = try psql("postgres", writer)
    guard let process = Int32(former.dropLast()) else { throw FileError("find", "the server's process") }
    kill(process, SIGKILL)
    try waitUntil("PostgreSQL has recovered", every: 0.05) {
      guard let newer = try? psql("postgres", writer) else { return false }
      return newer != former && !newer.isEmpty
    }
  }

  fileprivate func writer(_ database: String) throws -> PostgresWriter {
    let client = ["\(Self.programs)/psql", "-Xq", "-h", folder, "-U", "postgres", "-d", database]
    return PostgresWriter(try Self.program(client, .pipe))
  }

  @discardableResult
  private static func run(_ command: [String], input: String = "") throws -> String {
    let outcome = try program(command, .text(input)).outcome(within: longestWait)
    guard outcome.status == 0 else { throw PostgresFailure(command: command, output: outcome.output) }
    return outcome.output
  }

  private static func program(_ command: [String], _ input: TestProgram.Input = .nothing) throws
    -> TestProgram
  {
    // The folder must be open to every user.
    try TestProgram(command, in: "/", input: input, joined: true)
  }
}

package struct PostgresDatabase: Sendable {
  private let cluster: PostgresCluster
  package let name: String

  fileprivate init(cluster: PostgresCluster, name: String) { (self.cluster, self.name) = (cluster, name) }

  package func url(user: String = "postgres", password: String = "") -> String {
    "postgres://\(user)\(password.isEmpty ? "" : ":\(password)")@/\(name)?host=\(cluster.folder)"
  }

  /// The same database on another server, such as a standby.
  package func on(_ cluster: PostgresCluster) -> PostgresDatabase {
    PostgresDatabase(cluster: cluster, name: name)
  }

  /// Runs SQL as the superuser and returns the output.
  @discardableResult
  package func run(_ sql: String) throws -> String { try cluster.psql(name, sql) }

  /// A concurrent session.
  package func writer() throws -> PostgresWriter { try cluster.writer(name) }
}

/// A psql process that accepts statements and continues after failed ones.
package final class PostgresWriter {
  private let program: TestProgram

  fileprivate init(_ program: TestProgram) { self.program = program }

  /// Sends statements without waiting.
  package func write(_ sql: String) throws { try program.write(sql) }

  /// Waits for the end; false if the connection was lost.
  package func finish() throws -> Bool {
    program.closeInput()
    return try program.wait(within: longestWait) == .exited(0)
  }
}

package struct PostgresFailure: Error {
  package let command: [String]
  package let output: String
}
#endif
