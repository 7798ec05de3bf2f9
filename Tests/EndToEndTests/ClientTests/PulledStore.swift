import Foundation
import SeedFormat
import Support
import Testing

/// A deployment that is served once a client asks, and the client commands against it.
final class PulledStore {
  let deployment: OperatedDeployment
  private var server: RunningSeedbank?

  /// `schema` is SQL for further parts of the origin.
  init(with schema: String = "") throws { deployment = try OperatedDeployment(with: schema) }

  private static let template = FolderTemplate()

  /// The newest version is in `store`, from another address.
  init(filled: Void) throws {
    deployment = try OperatedDeployment(Self.template) { made in
      let host = try FolderHost(made.folder("seedbank/publication"))
      try SeedbankBinary.succeed(Self.pull(host.address) + ["--store", "store"], in: made.folder.path)
    }
  }

  @discardableResult
  func serve(port: UInt16 = 0) throws -> RunningSeedbank {
    let started = try RunningSeedbank(["serve", "--port", "\(port)"], in: deployment.folder.path)
    server = started
    return started
  }

  var address: String { get throws { try (server ?? serve()).address } }

  func stopServing() -> UInt16? {
    defer { _ = server?.stop() }
    return server?.port
  }

  var folder: TemporaryFolder { deployment.folder }

  func pull(_ arguments: String...) throws -> ProgramOutcome {
    try SeedbankBinary.run(command() + arguments, in: folder.path)
  }

  func watch(_ arguments: String..., output: Int32? = nil) throws -> TestProgram {
    try TestProgram(
      [SeedbankBinary.path] + command() + ["--store", "store", "--watch"] + arguments, in: folder.path,
      output: output, joined: true)
  }

  private func command() throws -> [String] { try Self.pull(address) }

  private static func pull(_ address: String) -> [String] {
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
