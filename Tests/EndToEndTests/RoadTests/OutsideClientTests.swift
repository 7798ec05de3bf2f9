import Foundation
import Support
import Testing

/// Clients that share no line with us.
@Suite(.bounded) struct OutsideClientTests {
  private static func script(_ name: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(name).path
  }

  @Test func `a client of the plain HTTP interface follows twenty versions by the one-sentence rule`()
    async throws
  {
    var road = try DemoRoad(seed: 21, trips: 100)
    let server = try RunningSeedbank(
      ["serve", "--config", road.config, "--port", "0"], in: road.folder.path)
    let models = ["1.0", "2.0", "2.1"]
    func outside(_ model: String, _ action: String) throws -> String {
      try Tool.run([
        Tool.python, Self.script("outside_client.py"), server.address, "transit", model,
        road.folder("outside-\(model)"), action,
      ])
    }
    for model in models { _ = try outside(model, "snapshot") }
    for step in 1...20 {
      try road.mutate(10)
      try road.publish()
      for model in models where step % 4 != 1 { _ = try outside(model, "changes") }
    }
    try road.publish(snapshot: true)
    for model in models {
      _ = try outside(model, "changes")
      #expect(try outside(model, "compare").hasPrefix("equal at version"))
    }
  }

  @Test func `python-tuf downloads and verifies every published object`() throws {
    var road = try DemoRoad(seed: 22, trips: 50)
    for _ in 0..<3 {
      try road.mutate(10)
      try road.publish()
    }
    let server = try RunningSeedbank(
      ["serve", "--config", road.config, "--port", "0"], in: road.folder.path)
    for (prefix, count) in [("transit/1/", 2...4), ("transit/2/", 4...4)] {
      let output = try Tool.run([
        Tool.python, Self.script("tuf_client.py"), server.address, road.root, prefix,
      ])
      let verified = try #require(Int(output.split(separator: " ")[1]))
      #expect(count.contains(verified), "\(output)")
    }
  }
}
