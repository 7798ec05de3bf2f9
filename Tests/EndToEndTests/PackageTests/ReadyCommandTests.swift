import SeedSystem
import Support
import Testing

/// `seedbank ready`, which health checks call.
@Suite struct ReadyCommandTests {
  private let deployment: DeploymentFolder

  init() throws { deployment = try DeploymentFolder() }

  @Test func `ready finds a serving front by its address or by the configuration, without a proxy`() throws {
    let deployment = try OperatedDeployment()
    let front = try RunningSeedbank(["serve", "--port", "0"], in: deployment.folder.path)
    let byAddress = try deployment.seedbank("ready", front.address)
    #expect(byAddress.status == 0 && byAddress.output == "\(front.address) is ready.\n")
    let port = ["SEEDBANK_HTTP_PORT": "\(front.port)", "http_proxy": "http://127.0.0.1:1"]
    #expect(try deployment.seedbank("ready", environment: port).output == byAddress.output)
  }

  @Test func `a front without a publication is not ready, with the reason`() throws {
    let front = try RunningSeedbank(
      ["serve", "--config", deployment.file, "--port", "0"], in: deployment.path)
    let outcome = try SeedbankBinary.run(["ready", front.address])
    #expect(outcome.status == 69 && outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix("Error: \(front.address) is not ready: "))
  }

  @Test func `without a server, the message names the commands that start one, and mistakes are reported`()
    throws
  {
    try SeedbankBinary.run(["ready", "--config", deployment.file], environment: ["SEEDBANK_HTTP_PORT": "1"])
      .expect(69, "http://127.0.0.1:1 is not ready: ", "start it with 'seedbank run' or 'seedbank serve'")
    try expectMistakesReported()
  }

  @Test(.full, arguments: [false, true])
  func `ready gives up on a silent server, and on one whose answer does not end`(isSlow: Bool) throws {
    let silent = try RawServer { _, connection in
      if isSlow { connection.send("HTTP/1.1 503 Busy\r\nContent-Length: 99999\r\n\r\n") }
      connection.untilEnd { if isSlow { connection.send("x") } }
      return false
    }
    try SeedbankBinary.run(["ready", "http://127.0.0.1:\(silent.port)"]).expect(
      69, "has not answered within 5 seconds")
  }

  private func expectMistakesReported() throws {
    for (arguments, status, words) in [
      (["seeds.example"], 64, "Expected an address such as https://seeds.example"),
      (["--timeout", "1"], 64, "Unknown option '--timeout'"),
      (["--config", deployment.path + "/none.json"], 78, "expected this file, found none"),
    ] as [([String], Int32, String)] {
      let outcome = try SeedbankBinary.run(["ready"] + arguments, in: deployment.path)
      #expect(outcome.status == status && outcome.errors.contains(words), "\(outcome.errors)")
    }
    try SeedbankBinary.run(["ready", "--config", deployment.file], environment: ["SEEDBANK_HTTP_PORT": "0"])
      .expect(78, "found 0 (any free port)")
  }
}
