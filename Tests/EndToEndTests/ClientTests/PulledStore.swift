import Foundation
import SeedFormat
import Support
import Testing

/// A deployment that is served, and the commands that follow it.
final class PulledStore {
  let deployment: OperatedDeployment
  private let server: RunningSeedbank

  init() throws {
    deployment = try OperatedDeployment()
    server = try RunningSeedbank(["serve", "--port", "0"], in: deployment.folder.path)
  }

  var address: String { server.address }
  var folder: TemporaryFolder { deployment.folder }

  /// Runs `pull` with more arguments than say what and from where.
  func pull(_ arguments: String...) throws -> SeedbankBinary.Outcome {
    try SeedbankBinary.run(
      ["pull", address, "--dataset", "my", "--model", "1.0", "--root", "seedbank/root.json"] + arguments,
      in: folder.path)
  }

  /// A store with the newest version, `store`.
  func fill() throws {
    let outcome = try pull("--store", "store")
    try #require(outcome.status == 0, "\(outcome.errors)")
  }

  func doctor(_ arguments: String...) throws -> SeedbankBinary.Outcome {
    try SeedbankBinary.run(["doctor", "store"] + arguments, in: folder.path)
  }

  /// The folder of the generation that counts.
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

extension SeedbankBinary.Outcome {
  /// The one line of JSON that was printed.
  func json() throws -> JSONValue { try JSONValue(parsing: Array(output.utf8.dropLast())) }
}
