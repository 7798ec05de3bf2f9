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
    for client in clients { try client.waits(for: "finished", within: TypedArticle.patience) }
    #expect(try pull("client-0").contains("version 11"))
    let same = try article.type("diff -r --exclude='.*' seedbank/publication front/publication && echo same")
    #expect(same == "same\n")
  }

  @Test func `a front with an incomplete copy serves its last version until the rest arrives`() throws {
    try article.typeRest()
    try publish("half")
    try article.type(
      "cp seedbank/publication/metadata/timestamp.json front/t && mv front/t front/publication/metadata/timestamp.json"
    )
    try eventually("the front tells") { readiness("8082").contains("\"error\"") ? true : nil }
    #expect(readiness("8082").hasPrefix("{\"ready\":true"))
    #expect(try pull("tablet").contains("version 3 is the newest"))
    try article.type("./push seedbank/publication front/publication")
    try eventually("the front has the new version") { readiness("8082").contains("\"head\":4") ? true : nil }
    #expect(try pull("tablet").contains("version 3 → 4"))
  }

  @Test func `a missing object is reported and breaks nothing else`() throws {
    try article.typeRest()
    try publish("no object")
    try article.type("rsync -rt --checksum seedbank/publication/metadata/ front/publication/metadata/")
    try eventually("the front has the new version") { readiness("8082").contains("\"head\":4") ? true : nil }
    let failure = #expect(throws: Tool.Failure.self) { try pull("tablet") }
    #expect(failure?.output.contains("which its metadata names") == true)
    #expect(article.terminalOutput.contains("An object cannot be served"))
    try article.type("./push seedbank/publication front/publication")
    #expect(try pull("tablet").contains("version 3 → 4"))
  }

  @Test func `a client that is ahead of a front gets an error and keeps its data`() throws {
    try article.typeRest()
    try publish("newer")
    #expect(try pull("phone", from: "8080").contains("4, "))
    let failure = #expect(throws: Tool.Failure.self) { try pull("phone") }
    #expect(failure?.output.contains("was offered after version") == true)
    try article.type("./push seedbank/publication front/publication")
    try eventually("the front has the new version") { readiness("8082").contains("\"head\":4") ? true : nil }
    #expect(try pull("phone").contains("version 4 is the newest"))
  }

  private func readiness(_ port: String) -> String {
    (try? Tool.run(["curl", "-sS", "http://127.0.0.1:\(article.port(port))/readyz"])) ?? ""
  }
}
