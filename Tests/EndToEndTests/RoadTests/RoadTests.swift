import Support
import Testing

/// The whole way with the real binary: publish, serve, pull, change, pull.
@Suite struct RoadTests {
  static let steps = 10
  static let mutationsPerStep = 10

  @Test(.full) func `stores that pull now and then equal a fresh snapshot, row for row`() throws {
    var road = try DemoRoad(seed: 11, trips: 200)
    let server = try RunningSeedbank(["serve", "--config", road.config, "--port", "0"], in: road.folder.path)
    let models = ["1.0", "2.0", "2.1"]
    for model in models { try road.pull("often-\(model)", model: model, from: server.address) }
    for step in 1...Self.steps {
      try road.mutate(Self.mutationsPerStep)
      try road.publish()
      for model in models where step.isMultiple(of: 3) {
        try road.pull("often-\(model)", model: model, from: server.address)
      }
      if step == 7 {
        for model in models { try road.pull("rarely-\(model)", model: model, from: server.address) }
      }
    }
    for model in models {
      for store in ["often-\(model)", "rarely-\(model)"] {
        try road.pull(store, model: model, from: server.address)
      }
    }
    // No snapshot of the head exists before, so a new store never applies a delta.
    try road.publish(snapshot: true)
    for model in models {
      try road.pull("fresh-\(model)", model: model, from: server.address)
      let fresh = try Dump.rows(of: road.file(of: "fresh-\(model)"))
      #expect(fresh.count >= 4 && fresh.values.allSatisfy { !$0.isEmpty })
      for store in ["often-\(model)", "rarely-\(model)"] {
        let file = try road.file(of: store)
        #expect(try Dump.rows(of: file) == fresh, "\(store) differs from a fresh snapshot")
        #expect(try Tool.sqlite(file, "PRAGMA integrity_check; PRAGMA foreign_key_check;") == "ok\n")
      }
    }
    #expect(server.stop() == 0, "\(server.errors)")
  }

}
