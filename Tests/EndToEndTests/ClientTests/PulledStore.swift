import Foundation
import SeedFormat
import Support
import Testing

/// A served deployment and the client commands against it.
final class PulledStore {
  let deployment: OperatedDeployment
  private var server: RunningSeedbank
  let address: String

  /// `schema` is SQL for further parts of the origin.
  init(with schema: String = "") throws {
    deployment = try OperatedDeployment(with: schema)
    server = try Self.server(in: deployment, port: 0)
    address = server.address
  }

  private static func server(in deployment: OperatedDeployment, port: UInt16) throws -> RunningSeedbank {
    try RunningSeedbank(["serve", "--port", "\(port)"], in: deployment.folder.path)
  }

  func stopServing() -> UInt16 {
    let port = server.port
    _ = server.stop()
    return port
  }

  func serve(port: UInt16) throws { server = try Self.server(in: deployment, port: port) }
  var folder: TemporaryFolder { deployment.folder }

  func pull(_ arguments: String...) throws -> ProgramOutcome {
    try SeedbankBinary.run(command + arguments, in: folder.path)
  }

  func watch(_ arguments: String...) throws -> TestProgram {
    try TestProgram(
      [SeedbankBinary.path] + command + ["--store", "store", "--watch"] + arguments, in: folder.path,
      joined: true)
  }

  private var command: [String] {
    ["pull", address, "--dataset", "my", "--model", "1.0", "--root", "seedbank/root.json"]
  }

  /// Downloads the newest version into `store`.
  func fill() throws {
    let outcome = try pull("--store", "store")
    try #require(outcome.status == 0, "\(outcome.errors)")
  }

  func doctor(_ arguments: String...) throws -> ProgramOutcome {
    try SeedbankBinary.run(["doctor", "store"] + arguments, in: folder.path)
  }

  var generation: String {
    get throws {
      let name = try String(contentsOfFile: folder("store/CURRENT"), encoding: .utf8)
      return folder("store/generations/\(name.trimmingCharacters(in: .whitespacesAndNewlines))")
    }
  }

  var seed: String { get throws { "\(try generation)/seed.sqlite" } }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder(name)))
  }
}

extension ProgramOutcome {
  func json() throws -> JSONValue { try JSONValue(parsing: Array(output.utf8.dropLast())) }
}
