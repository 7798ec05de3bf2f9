import Foundation
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
    let step = try SeedbankBinary.run(
      ["regenerate"], environment: bucket.environment, in: deployment.folder.path)
    #expect(step.status == 0 && !step.errors.contains("mirror"), "\(step.errors)")
  }

  private var expected: String {
    get throws {
      try Tool.run(["sqlite3", deployment.folder("my.sqlite"), "SELECT name FROM shop ORDER BY id"])
    }
  }

  @Test(.full) func `the library, python-tuf and an independent client follow a public bucket`()
    throws
  {
    defer { withExtendedLifetime((bucket, nginx)) {} }
    for step in 1...3 {
      try publish("UPDATE shop SET name = 'name \(step)' WHERE id = 1; INSERT INTO shop(name) VALUES ('new')")
      let judged = try Tool.run([
        Tool.python, Self.script("RoadTests/tuf_client.py"), address, deployment.folder("seedbank/root.json"),
        "my/1/",
      ])
      #expect(judged.hasPrefix("verified "))
      let rows = try Tool.run([
        Tool.python, Self.script("MirrorTests/bucket_client.py"), address,
        deployment.folder("seedbank/root.json"), "my", "1", deployment.folder("outside"),
      ])
      #expect(rows.contains("'name \(step)'"), "\(rows)")
      #expect(rows.split(separator: "\n").count == (try expected).split(separator: "\n").count)
      let pulled = try deployment.seedbank(
        "pull", address, "--dataset", "my", "--model", "1.0", "--root", "seedbank/root.json", "--store",
        "phone")
      #expect(pulled.status == 0, "\(pulled.errors)")
      let store = try #require(
        try Tool.run(["find", deployment.folder("phone"), "-name", "*.sqlite"])
          .split(separator: "\n").first)
      #expect(
        try Tool.run(["sqlite3", String(store), "SELECT name FROM shop ORDER BY id"]) == expected)
    }
  }

  private static func script(_ path: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent(path).path
  }
}
