import Foundation
import SeedFormat
import SeedPublication
import SeedSystem
import Support
import Testing

@Suite struct FactsCommandTests {
  private let deployment: OperatedDeployment
  private let series: SeedSeries

  init() throws {
    deployment = try OperatedDeployment()
    series = try SeedSeries("my", major: 1)
  }

  private var facts: SeriesFacts? { deployment.publication.facts.read(series) }

  @Test
  func `regenerate writes facts, a front in another process serves them, and disabled facts are removed`()
    throws
  {
    let told = try #require(facts)
    #expect(told.counts == [.published: OperatedDeployment.versions] && told.checkSeconds == nil)
    #expect(told.tables.map(\.name) == ["shop"] && told.tables.map(\.rows) == [OperatedDeployment.versions])
    #expect(told.steps.map(\.rows) == [3, 2, 1])
    let front = try RunningSeedbank(["serve", "--port", "0"], in: deployment.folder.path)
    #expect(try RawClient(port: front.port).get("/v1/my/facts?model=1.0").body == told.json.bytes + [0x0A])
    try deployment.origin("UPDATE shop SET name = 'new' WHERE id = 1")
    #expect(try deployment.seedbank("regenerate").status == 0)
    try waitUntil("the front has the new facts") {
      let json = try JSONValue(parsing: RawClient(port: front.port).get("/v1/my/facts?model=1.0").body)
      return json["counts"]?["published"]?.integer == OperatedDeployment.versions + 1
    }
    #expect(try deployment.seedbank("regenerate", environment: ["SEEDBANK_FACTS": "false"]).status == 0)
    #expect(facts == nil)
  }

  @Test func `facts contain no unpublished names of the origin, even after errors`() throws {
    try deployment.origin("CREATE TABLE salary(id INTEGER PRIMARY KEY, amount REAL)")
    #expect(try deployment.seedbank("regenerate").errors.contains("salary"))
    try deployment.origin("ALTER TABLE shop RENAME COLUMN name TO nickname")
    #expect(try deployment.seedbank("regenerate").status == 65)
    let told = try #require(facts)
    #expect(told.look.newest == .refused)
    for secret in ["salary", "amount", "nickname", deployment.folder.path] {
      #expect(!told.json.text.contains(secret), "\(secret)")
    }
  }
}
