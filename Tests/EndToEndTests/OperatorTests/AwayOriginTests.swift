import Foundation
import SeedFormat
import SeedPublication
import SeedPublisher
import Support
import Testing

@Suite struct AwayOriginTests {
  @Test(.full)
  func `steps without the origin are recorded in the history, and publishing resumes when it returns`()
    throws
  {
    let deployment = try OperatedDeployment()
    let running = try RunningSeedbank(["run", "--port", "0"], in: deployment.folder.path)
    defer { withExtendedLifetime(running) {} }
    try Tool.run(["mv", deployment.folder("my.sqlite"), deployment.folder("away.sqlite")])
    let history = StepHistory(deployment.folder("seedbank/state"))
    try eventually("steps without an origin are noted", within: 60) {
      try history.newest(1).first { $0.outcome == .failed && $0.times >= 2 }
    }
    try Tool.run(["mv", deployment.folder("away.sqlite"), deployment.folder("my.sqlite")])
    try deployment.origin("UPDATE shop SET name = 'back'")
    try eventually("the origin is followed again", within: 60) {
      try history.newest(1).first { $0.outcome == .published }
    }
  }
}
