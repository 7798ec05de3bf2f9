import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

/// A publisher whose origin is written to while it runs.
@Suite struct BusyOriginTests {
  let deployment: OperatedDeployment

  init() throws { deployment = try OperatedDeployment() }

  private func head() throws -> Int {
    try #require(try deployment.publication.published().series.values.first).metadata.state.head.number
  }

  @Test func `a writer that commits all the time causes few steps, and its last commit is published`() throws
  {
    try deployment.origin("PRAGMA journal_mode = WAL")
    let server = try RunningSeedbank(["run", "--port", "0"], in: deployment.folder.path)
    let (before, commits) = (try head(), 3000)
    let writer = try Connection(deployment.folder("my.sqlite"), .own)
    try writer.execute("PRAGMA synchronous = OFF")
    for number in 0..<commits { try writer.execute("UPDATE shop SET name = 'commit \(number)' WHERE id = 1") }
    try eventually("the last commit is published") {
      try Tool.sqlite(deployment.folder("seedbank/state/my-1.sqlite"), "SELECT name FROM shop WHERE id = 1")
        .contains("commit \(commits - 1)") ? true : nil
    }
    #expect(try head() - before < commits / 10)
    #expect(server.stop() == 0)
  }
}
