#if os(Linux)
import Foundation
import SeedFormat

/// An empty bucket `seeds` in a private moto store, which checks signatures. The next test gets its store.
package final class TestBucket {
  package let port: Int
  package let identity: String
  package let secret: String
  private let store: Store

  private struct Store {
    let program: TestProgram
    var uses = 0
  }

  private static let idle = Shared<[Store]>([])

  /// The store's output in place of its address.
  package struct NoStore: Error { let text: String }

  private static let checkout = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  private static var python: String {
    ProcessInfo.processInfo.environment["SEEDBANK_PYTHON"] ?? "\(checkout)/.build/python/bin/python"
  }

  /// `isPublic`: everyone may read files, but listing and writing need credentials. `isCareless`: PUT conditions are
  /// ignored.
  package init(isPublic: Bool = false, isCareless: Bool = false) throws {
    var store = try Self.idle.withLock { $0.popLast() } ?? Self.started()
    store.uses += 1
    try store.program.write("empty\(isPublic ? " public" : "")\(isCareless ? " careless" : "")\n")
    try store.program.waits(for: "empty \(store.uses)\n")
    self.store = store
    let line = Array(store.program.output.prefix { $0 != "\n" }.utf8)
    guard let json = try? JSONValue(parsing: line), let port = json["port"]?.integer,
      let identity = json["identity"]?.string, let secret = json["secret"]?.string
    else { throw NoStore(text: String(decoding: line, as: UTF8.self)) }
    (self.port, self.identity, self.secret) = (port, identity, secret)
  }

  deinit { Self.idle.withLock { $0.append(store) } }

  private static func started() throws -> Store {
    let program = try TestProgram(
      [python, "\(checkout)/Tests/SeedMirrorTests/store.py", "seeds"], input: .pipe)
    try program.waits(for: "\n")
    return Store(program: program)
  }

  /// Credentials for the command.
  package var environment: [String: String] {
    ["AWS_ACCESS_KEY_ID": identity, "AWS_SECRET_ACCESS_KEY": secret]
  }

  /// The URL of a path in the store.
  package func address(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }
}
#endif
