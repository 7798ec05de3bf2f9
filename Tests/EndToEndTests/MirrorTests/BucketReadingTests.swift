import SeedFormat
import Support
import Testing

/// Clients read a public bucket through nginx, without a front.
@Suite struct BucketReadingTests {
  private let deployment: OperatedDeployment
  private let bucket: TestBucket
  private let nginx: Nginx
  private let address: String

  init() throws {
    (deployment, bucket) = (try OperatedDeployment(), try TestBucket(isPublic: true))
    try deployment.name(mirrors: [["s3": .string(bucket.address("seeds/prod"))]])
    let port = try freePort()
    address = "http://127.0.0.1:\(port)"
    nginx = try Nginx(
      site: """
        server {
          listen 127.0.0.1:\(port);
          location / { proxy_pass \(bucket.address("seeds/prod/")); }
        }
        """, in: try TemporaryFolder(), listeningOn: port)
  }

  private func publish(_ statement: String) throws {
    try deployment.origin(statement)
    let step = try deployment.folder.seedbank("regenerate", environment: bucket.environment)
    #expect(step.status == 0 && !step.errors.contains("mirror"), "\(step.errors)")
  }

  private func names(in file: String) throws -> String {
    try Tool.run(["sqlite3", file, "SELECT name FROM shop ORDER BY id"])
  }

  @Test(.full) func `the library and the example client follow a public bucket`() throws {
    defer { withExtendedLifetime((bucket, nginx)) {} }
    for step in 1...2 {
      try publish("UPDATE shop SET name = 'name \(step)' WHERE id = 1; INSERT INTO shop(name) VALUES ('new')")
      let expected = try names(in: deployment.folder("my.sqlite"))
      try Tool.script(
        "Examples/client.py", address, deployment.folder("seedbank/root.json"), "my", "1.0",
        deployment.folder("outside"))
      #expect(try names(in: deployment.folder("outside/current.sqlite")) == expected)
      try deployment.seedbank(
        "pull", address, "--dataset", "my", "--model", "1.0", "--root", "seedbank/root.json", "--store",
        "phone"
      ).expect(0)
      let store = try #require(
        try Tool.run(["find", deployment.folder("phone"), "-name", "*.sqlite"])
          .split(separator: "\n").first)
      #expect(try names(in: String(store)) == expected)
    }
  }
}
