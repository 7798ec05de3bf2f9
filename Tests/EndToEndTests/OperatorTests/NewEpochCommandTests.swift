import Support
import Testing

@Suite struct NewEpochCommandTests {
  enum Disaster: String, CaseIterable {
    case publication, everything, metadata, oldBackup, oldBackupWithoutCopies
  }

  private func strike(_ disaster: Disaster, _ deployment: OperatedDeployment) throws {
    let folder = deployment.folder
    switch disaster {
    case .publication: try Tool.run(["rm", "-rf", folder("seedbank/publication")])
    case .everything: try Tool.run(["rm", "-rf", folder("seedbank/publication"), folder("seedbank/state")])
    case .metadata: try Tool.run(["rm", folder("seedbank/publication/metadata/timestamp.json")])
    case .oldBackup, .oldBackupWithoutCopies:
      try folder.replace("seedbank/publication", by: "backup")
      if disaster == .oldBackupWithoutCopies { try Tool.run(["rm", "-rf", folder("seedbank/state")]) }
    }
  }

  private func pull(_ deployment: OperatedDeployment, _ store: String) throws {
    let server = try RunningSeedbank(["serve", "--port", "0"], in: deployment.folder.path)
    try SeedbankBinary.succeed(SeedbankBinary.pull(server.address, into: store), in: deployment.folder.path)
  }

  private func shops(_ deployment: OperatedDeployment, _ store: String) throws -> String {
    try Tool.sqlite(
      Dump.file(ofStore: deployment.folder(store)), "SELECT group_concat(DISTINCT name) FROM shop")
  }

  @Test(.full, arguments: Disaster.allCases)
  func `after a disaster and new-epoch, old and new clients follow the origin`(_ disaster: Disaster) throws {
    let deployment = try OperatedDeployment()
    try Tool.run(["cp", "-a", deployment.folder("seedbank/publication"), deployment.folder("backup")])
    for name in ["one", "two", "three"] {
      try deployment.origin("UPDATE shop SET name = '\(name)'")
      #expect(try deployment.seedbank("regenerate").status == 0)
    }
    try pull(deployment, "old")
    try strike(disaster, deployment)
    try deployment.origin("UPDATE shop SET name = 'after'")
    if disaster != .oldBackupWithoutCopies {
      let refused = try deployment.seedbank("regenerate")
      #expect(refused.status != 0)
      if disaster != .metadata { #expect(refused.errors.contains("seedbank new-epoch"), "\(refused.errors)") }
    }
    #expect(try deployment.seedbank("new-epoch").status == 64)
    let outcome = try deployment.seedbank("new-epoch", "--yes")
    #expect(outcome.status == 0 && outcome.output.hasPrefix("my/1: version 1 created"), "\(outcome)")
    #expect(try deployment.seedbank("verify").status == 0)
    for store in ["old", "new"] {
      try pull(deployment, store)
      #expect(try shops(deployment, store).contains("after"), "\(store)")
    }
    try deployment.origin("UPDATE shop SET name = 'later'")
    #expect(try deployment.seedbank("regenerate").output.hasPrefix("my/1: version 2"))
    for store in ["old", "new"] {
      try pull(deployment, store)
      #expect(try shops(deployment, store).contains("later"), "\(store)")
    }
  }

  @Test func `new-epoch names removed series, and rejects a name of another form`() throws {
    let deployment = try OperatedDeployment()
    try strike(.everything, deployment)
    try deployment.seedbank("new-epoch", "--yes", "--removed", "parks").expect(64, "a series such as parks/1")
    try deployment.seedbank("new-epoch", "--yes", "--removed", "parks/1").expect(0)
    let metadata = deployment.folder("seedbank/publication/metadata")
    try Tool.run(["bash", "-c", "grep -q parks-1.json '\(metadata)'/*.snapshot.json"])
    try deployment.seedbank("verify").expect(0)
  }

  @Test func `without the targets key, new-epoch changes nothing`() throws {
    let deployment = try OperatedDeployment()
    try strike(.publication, deployment)
    try Tool.run(["rm", deployment.folder("seedbank/keys/targets.key")])
    let outcome = try deployment.seedbank("new-epoch", "--yes")
    #expect(outcome.status != 0 && outcome.errors.contains("targets key"), "\(outcome)")
    #expect(!deployment.folder.exists("seedbank/publication/metadata/timestamp.json"))
  }
}
