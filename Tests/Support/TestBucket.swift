#if os(Linux)
import Foundation
import SeedFormat

/// A bucket `seeds` in a private moto store, which checks signatures. It stops with its owner.
package final class TestBucket {
  package let port: Int
  package let identity: String
  package let secret: String
  private let store: TestProgram

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
    let words = ["seeds"] + (isPublic ? ["public"] : []) + (isCareless ? ["careless"] : [])
    store = try TestProgram(
      [Self.python, "\(Self.checkout)/Tests/SeedMirrorTests/store.py"] + words, input: .pipe)
    try store.waits(for: "\n")
    let line = Array(store.output.prefix { $0 != "\n" }.utf8)
    guard let json = try? JSONValue(parsing: line), let port = json["port"]?.integer,
      let identity = json["identity"]?.string, let secret = json["secret"]?.string
    else { throw NoStore(text: String(decoding: line, as: UTF8.self)) }
    (self.port, self.identity, self.secret) = (port, identity, secret)
  }

  /// Credentials for the command.
  package var environment: [String: String] {
    ["AWS_ACCESS_KEY_ID": identity, "AWS_SECRET_ACCESS_KEY": secret]
  }

  /// The URL of a path in the store.
  package func address(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }
}
#endif
