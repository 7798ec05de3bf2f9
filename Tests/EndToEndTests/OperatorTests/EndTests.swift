import Foundation
import Support
import Testing

/// A command ends soon after SIGTERM in every phase.
@Suite struct EndTests {
  private static let commands = [
    ["regenerate", "--snapshot"], ["verify"], ["status", "--check"], ["keys", "status"],
    ["keys", "renew", "timestamp"],
    ["config", "check"], ["diff", "1", "3"], ["run", "--port", "0"], ["serve", "--port", "0"],
  ]

  @Test func `SIGTERM ends each command at any moment, and the publication stays sound`() throws {
    let deployment = try OperatedDeployment()
    for command in Self.commands {
      for _ in 0..<Stage.pick(quick: 3, full: 50, deep: 50) {
        let milliseconds = UInt32.random(in: 0..<250)
        let program = try TestProgram([SeedbankBinary.path] + command, in: deployment.folder.path)
        usleep(milliseconds * 1000)
        // A timeout is an error.
        #expect(throws: Never.self, "\(command) after \(milliseconds) ms") { try program.stop(within: 5) }
      }
    }
    #expect(try deployment.seedbank("regenerate").status == 0)
    #expect(try deployment.seedbank("verify").status == 0)
  }

  /// A signal before the handler is installed kills the program; a later one must not be lost.
  @Test func `SIGTERM during the start ends run`() throws {
    let deployment = try OperatedDeployment()
    for _ in 0..<Stage.pick(quick: 40, full: 500, deep: 500) {
      let microseconds = UInt32.random(in: 0..<80_000)
      let program = try TestProgram([SeedbankBinary.path, "run", "--port", "0"], in: deployment.folder.path)
      usleep(microseconds)
      #expect(throws: Never.self, "after \(microseconds) µs") { try program.stop(within: 5) }
    }
  }
}
