import Foundation
import Support
import Testing

/// A PostgreSQL server with TLS on a random loopback address.
@Suite struct PostgresSecurityTests {
  private let folder: TemporaryFolder
  private let server: Server
  private var cluster: PostgresCluster { server.cluster }
  private var address: String { server.address }
  private var database: PostgresDatabase { server.database }

  private struct Server {
    let cluster: PostgresCluster
    let address: String
    let database: PostgresDatabase

    init() throws {
      let parts = (0..<3).map { _ in "\(Int.random(in: 1...254))" }
      address = "127.\(parts.joined(separator: "."))"
      cluster = try PostgresCluster(secureOn: address)
      database = try cluster.database(
        "CREATE TABLE shop(id int PRIMARY KEY, name text); INSERT INTO shop VALUES (1, 'Tea')")
    }

    static let shared = Result { try Server() }
  }

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    server = try Server.shared.get()
  }

  private func url(_ parameters: String, user: String = "postgres", host: String = "localhost") -> String {
    "postgres://\(user)@\(host)/\(database.name)?hostaddr=\(address)&\(parameters)"
  }

  private func regenerate(_ url: String, _ environment: [String: String] = [:]) throws -> ProgramOutcome {
    let own = ["SEEDBANK_DATASETS_SHOPS_ORIGIN_POSTGRES": url]
    return try folder.seedbank("regenerate", environment: own.merging(environment) { $1 })
  }

  private func setUp(_ url: String) throws {
    try folder.succeed("init", url, "--dataset", "shops")
  }

  @Test func `a server with TLS is read, with and without verification of its certificate`() throws {
    try setUp(url("sslmode=require"))
    let proven = "sslmode=verify-full&sslrootcert=\(cluster.certificate)"
    for parameters in ["sslmode=require", proven] {
      let step = try regenerate(url(parameters))
      #expect(step.status == 0, "\(parameters): \(step.errors)")
    }
    try folder.seedbank("config", "check").expect(0, output: "nothing is wrong")
  }

  @Test(.full) func `an unverified server and a client without TLS are rejected with the remedy`() throws {
    try setUp(url("sslmode=require"))
    let cases: [(url: String, words: [String])] = [
      (url("sslmode=disable"), ["no encryption", "pg_hba.conf"]),
      (
        url("sslmode=verify-full&sslrootcert=\(cluster.certificate)", host: "db.example"),
        ["does not match host name", "use a host name that the certificate lists"]
      ),
      (
        url("sslmode=verify-full&sslrootcert=\(cluster.otherCertificate)"),
        ["certificate verify failed", "sslrootcert"]
      ),
      (url("sslmode=verify-ca&sslrootcert=\(folder("none.crt"))"), ["does not exist", "sslrootcert"]),
    ]
    for (url, words) in cases {
      let step = try regenerate(url)
      #expect(step.status == 78, "\(url): \(step)")
      for word in words { #expect(step.errors.contains(word), "\(step.errors)") }
    }
    let plain = address == "127.0.0.2" ? "127.0.0.3" : "127.0.0.2"
    let other = try PostgresCluster(["listen_addresses=\(plain)"])
    defer { withExtendedLifetime(other) {} }
    try regenerate("postgres://postgres@\(plain)/x?sslmode=require").expect(
      78, "does not support SSL", "set ssl = on")
    #expect(!folder.exists("seedbank/state/shops-1.sqlite"), "nothing was read")
  }

  @Test func `a URL may name a password file`() throws {
    let secret = "pw\(UInt32.random(in: 0...UInt32.max))"
    try database.run(
      "CREATE ROLE guarded LOGIN PASSWORD '\(secret)'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO guarded"
    )
    let file = folder("passwords")
    try "*:*:*:guarded:\(secret)\n".write(toFile: file, atomically: false, encoding: .utf8)
    try Tool.run(["chmod", "600", file])
    let named = url("sslmode=require&passfile=\(file)", user: "guarded")
    try setUp(named)
    let kept = try folder.text("seedbank/shops/dataset.json")
    #expect(kept.contains("passfile"), "\(kept)")
    try folder.seedbank("regenerate").expect(0)
    try "*:*:*:guarded:wrong\n".write(toFile: file, atomically: false, encoding: .utf8)
    try folder.seedbank("regenerate").expect(78, "password authentication failed")
    let secretKey = try folder.seedbank("init", url("sslpassword=\(secret)"), "--dataset", "more")
    #expect(secretKey.status == 64 && !secretKey.errors.contains(secret), "\(secretKey.errors)")
  }
}
