import Foundation
import SeedFormat

/// A bucket `seeds` in a store of its own, moto, which checks signatures. It ends with its owner.
package final class TestBucket {
  package let port: Int
  package let identity: String
  package let secret: String
  private let process = Process()
  private let input = Pipe()

  /// What the store said in place of where it is.
  package struct NoStore: Error { let text: String }

  private static let checkout = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  private static var python: String {
    ProcessInfo.processInfo.environment["SEEDBANK_PYTHON"] ?? "\(checkout)/.build/python/bin/python"
  }

  /// One that is `isPublic` lets everybody read its files; to list and to write takes credentials all the same. One that is
  /// `isCareless` takes each put, whatever its conditions.
  package init(isPublic: Bool = false, isCareless: Bool = false) throws {
    process.executableURL = URL(fileURLWithPath: Self.python)
    process.arguments =
      ["\(Self.checkout)/Tests/SeedMirrorTests/store.py", "seeds"]
      + (isPublic ? ["public"] : []) + (isCareless ? ["careless"] : [])
    let output = Pipe()
    (process.standardInput, process.standardOutput) = (input, output)
    try ProcessGuard.run(process)
    var line: [UInt8] = []
    while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != 0x0A {
      line.append(byte)
    }
    guard let json = try? JSONValue(parsing: line), let port = json["port"]?.integer,
      let identity = json["identity"]?.string, let secret = json["secret"]?.string
    else { throw NoStore(text: String(decoding: line, as: UTF8.self)) }
    (self.port, self.identity, self.secret) = (port, identity, secret)
  }

  deinit { try? input.fileHandleForWriting.close() }

  /// How the command is told who may write.
  package var environment: [String: String] {
    ["AWS_ACCESS_KEY_ID": identity, "AWS_SECRET_ACCESS_KEY": secret]
  }

  /// Of a part of the bucket.
  package func address(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }
}
