import Foundation
import SeedFormat
import SeedSystem
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
      try SeedbankBinary.succeed(SeedbankBinary.pull(host.address, into: "store"), in: made.folder.path)
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

  private func command() throws -> [String] { try SeedbankBinary.pull(address) }

  func fill() throws {
    let outcome = try pull("--store", "store")
    try #require(outcome.status == 0, "\(outcome.errors)")
  }

  func doctor(_ arguments: String...) throws -> ProgramOutcome {
    try SeedbankBinary.run(["doctor", "store"] + arguments, in: folder.path)
  }

  var generation: String { get throws { Folder.parent(of: try seed) } }

  var seed: String { get throws { try Dump.file(ofStore: folder("store")) } }
}

extension ProgramOutcome {
  func json() throws -> JSONValue { try JSONValue(parsing: Array(output.utf8.dropLast())) }
}
