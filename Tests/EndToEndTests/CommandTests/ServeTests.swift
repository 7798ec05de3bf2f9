import SeedSystem
import Support
import Testing

@Suite struct ServeTests {
  let deployment: DeploymentFolder

  init() throws { deployment = try DeploymentFolder() }

  private func serve(_ more: String..., environment: [String: String] = [:]) throws -> RunningSeedbank {
    try RunningSeedbank(
      ["serve", "--config", deployment.file, "--port", "0"] + more, in: deployment.path,
      environment: environment)
  }

  @Test
  func `serve prints its address, a port in use is reported with its host, and SIGINT ends serve in order`()
    throws
  {
    let server = try serve()
    #expect(server.address.hasPrefix("http://127.0.0.1:") && server.port > 0)
    let second = try SeedbankBinary.run([
      "serve", "--config", deployment.file, "--port", "\(server.port)",
    ]).expect(69, "Port \(server.port) on 127.0.0.1 is in use")
    #expect(second.output.isEmpty)
    kill(server.identifier, SIGINT)
    #expect(server.waitForEnd() == 0)
  }

  @Test func `an IPv6 address is printed in brackets`() throws {
    let server = try serve("--host", "::1")
    #expect(server.address.hasPrefix("http://[::1]:"))
    #expect(server.stop() == 0)
  }

  @Test func `the folder of --public wins over SEEDBANK_PUBLIC, and must contain a page`() throws {
    let environment = ["SEEDBANK_PUBLIC": deployment.path]
    try SeedbankBinary.run(["serve", "--config", deployment.file, "--port", "0"], environment: environment)
      .expect(78, "\(deployment.path): expected a folder with index.html")
    try deployment.write("<html>", to: "page/index.html")
    #expect(try serve("--public", "page", environment: environment).stop() == 0)
  }
}
