import SeedSystem
import Support
import Testing

private final class ServingBinary {
  private let program: TestProgram
  let line: String

  init(_ arguments: [String]) throws {
    let program = try TestProgram([SeedbankBinary.path, "serve"] + arguments, isBare: true)
    try program.waits(for: "\n")
    (self.program, line) = (program, String(program.output.prefix { $0 != "\n" }))
  }

  var port: String { line.split(separator: ":").last.map(String.init) ?? "" }

  func end(interrupting: Bool) throws -> TestProgram.Ending {
    try program.stop(interrupting ? SIGINT : SIGTERM)
  }
}

@Suite struct ServeTests {
  let deployment: DeploymentFolder

  init() throws { deployment = try DeploymentFolder() }

  @Test(arguments: [true, false])
  func `serve prints its address and ends gracefully on a signal`(interrupting: Bool) throws {
    let server = try ServingBinary(["--config", deployment.file, "--port", "0"])
    #expect(server.line.hasPrefix("listening on http://127.0.0.1:"))
    #expect(Int(server.port).map { $0 > 0 } == true)
    #expect(try server.end(interrupting: interrupting) == .exited(0))
  }

  @Test func `an IPv6 address is printed in brackets`() throws {
    let server = try ServingBinary(["--config", deployment.file, "--port", "0", "--host", "::1"])
    #expect(server.line.hasPrefix("listening on http://[::1]:"))
    #expect(try server.end(interrupting: false) == .exited(0))
  }

  @Test func `a port in use is reported with its host`() throws {
    let server = try ServingBinary(["--config", deployment.file, "--port", "0"])
    let second = try SeedbankBinary.run(["serve", "--config", deployment.file, "--port", server.port]).expect(
      69)
    #expect(second.output.isEmpty)
    #expect(second.errors.contains("Port \(server.port) on 127.0.0.1 is in use"))
    #expect(try server.end(interrupting: false) == .exited(0))
  }

  @Test func `a folder given with --public must contain a page`() throws {
    try SeedbankBinary.run(["serve", "--config", deployment.file, "--port", "0", "--public", deployment.path])
      .expect(78, "index.html")
  }

  @Test func `--public wins over SEEDBANK_PUBLIC`() throws {
    let arguments = ["serve", "--config", deployment.file, "--port", "0"]
    let environment = ["SEEDBANK_PUBLIC": "nowhere"]
    try SeedbankBinary.run(arguments, environment: environment).expect(
      78, "nowhere: expected a folder with index.html")
    try deployment.write("<html>", to: "page/index.html")
    let server = try RunningSeedbank(
      arguments + ["--public", "page"], in: deployment.path, environment: environment)
    #expect(server.stop() == 0)
  }
}
