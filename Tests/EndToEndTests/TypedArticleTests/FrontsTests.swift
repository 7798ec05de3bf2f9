import Support
import Testing

/// The article on several fronts, with clients that pull while copies are made.
@Suite struct FrontsTests {
  let article: TypedArticle

  init() throws { article = try TypedArticle("Fronts") }

  private func pull(_ store: String, from port: String = "8082") throws -> String {
    try article.type(
      "seedbank pull http://127.0.0.1:\(port) --dataset my --model 1.0 --root seedbank/root.json --store \(store)"
    )
  }

  private func publish(_ name: String) throws {
    try article.type("sqlite3 my.sqlite \"UPDATE shop SET name = '\(name)'\" && seedbank regenerate")
  }

  @Test(.full) func `clients that pull continuously never see an incomplete copy`() throws {
    try article.typeRest()
    let clients = try (0..<2).map { number in
      try article.typeAside(
        """
        while [ ! -e enough ]; do
          seedbank pull http://127.0.0.1:8082 --dataset my --model 1.0 --root seedbank/root.json --store client-\(number)
        done
        echo finished
        """)
    }
    for version in 0..<8 {
      try publish("change \(version)")
      if version == 3 { try article.type("seedbank keys rotate series") }
      if version == 5 { try article.type("seedbank regenerate --snapshot") }
      try article.type("./push seedbank/publication front/publication")
    }
    try article.type("touch enough")
    for client in clients { try client.waits(for: "finished") }
    #expect(try pull("client-0").contains("version 11"))
    let same = try article.type("diff -r --exclude='.*' seedbank/publication front/publication && echo same")
    #expect(same == "same\n")
  }

  @Test
  func
    `a front with an incomplete copy serves what it has, and clients keep their data until the rest arrives`()
    throws
  {
    try article.typeRest()
    try expectLastVersionServed()
    try expectMissingObjectReported()
    try expectClientAheadKeepsData()
  }

  /// A front that has only the newest timestamp serves its last version.
  private func expectLastVersionServed() throws {
    try publish("half")
    try article.type(
      "cp seedbank/publication/metadata/timestamp.json front/t && mv front/t front/publication/metadata/timestamp.json"
    )
    try eventually("the front reports the error") { readiness("8082").contains("\"error\"") ? true : nil }
    #expect(readiness("8082").hasPrefix("{\"ready\":true"))
    #expect(try pull("tablet").contains("version 3 is the newest"))
    try pushAndWait(for: 4)
    #expect(try pull("tablet").contains("version 3 → 4"))
  }

  /// A missing object breaks nothing else.
  private func expectMissingObjectReported() throws {
    try publish("no object")
    try article.type("rsync -rt --checksum seedbank/publication/metadata/ front/publication/metadata/")
    try waitForHead(5)
    let failure = #expect(throws: Tool.Failure.self) { try pull("tablet") }
    #expect(failure?.output.contains("which its metadata lists") == true)
    #expect(article.terminalOutput.contains("An object cannot be served"))
    try pushAndWait(for: 5)
    #expect(try pull("tablet").contains("version 4 → 5"))
  }

  private func expectClientAheadKeepsData() throws {
    try publish("newer")
    try waitForHead(6, at: "8080")
    #expect(try pull("tablet", from: "8080").contains("version 5 → 6, "))
    let failure = #expect(throws: Tool.Failure.self) { try pull("tablet") }
    #expect(failure?.output.contains("is older than the trusted version") == true)
    try pushAndWait(for: 6)
    #expect(try pull("tablet").contains("version 6 is the newest"))
  }

  private func pushAndWait(for head: Int) throws {
    try article.type("./push seedbank/publication front/publication")
    try waitForHead(head)
  }

  private func waitForHead(_ head: Int, at port: String = "8082") throws {
    try waitUntil("the front at \(port) has version \(head)", every: 0.01) {
      readiness(port).contains("\"head\":\(head)")
    }
  }

  private func readiness(_ port: String) -> String {
    (try? Tool.run(["curl", "-sS", "http://127.0.0.1:\(article.port(port))/readyz"])) ?? ""
  }
}
