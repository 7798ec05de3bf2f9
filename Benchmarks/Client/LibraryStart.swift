import Foundation
import SeedClient
import SeedFormat

/// A first start by the library, in its own process.
struct LibraryStart {
  static let verb = "first-start"

  private let front, root, store: String
  private let provesRows: Bool

  init(front: String, root: String, store: String, provesRows: Bool) {
    (self.front, self.root, self.store, self.provesRows) = (front, root, store, provesRows)
  }

  init(_ arguments: [String]) throws {
    guard arguments.count == 5 else { throw BenchmarkError.usage("first-start FRONT ROOT STORE true|false") }
    self.init(
      front: arguments[1], root: arguments[2], store: arguments[3], provesRows: arguments[4] == "true")
  }

  /// Measures the start in a new process.
  func measure() throws -> ToolRun {
    try? FileManager.default.removeItem(atPath: store)
    let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
    return try Tool.run(program, [Self.verb, front, root, store, "\(provesRows)"])
  }

  /// Runs the start in this process.
  func run() async throws {
    guard let server = URL(string: front) else { throw BenchmarkError.usage(front) }
    var options = SeedOptions()
    options.provesRows = provesRows
    let model = SeedModel(dataset: try DatasetName(ClientScene.dataset), version: "1.0")
    let seeds = try SeedStore(
      model, server: server, root: Array(Data(contentsOf: URL(filePath: root))), directory: store,
      options: options)
    try await seeds.update()
  }
}
