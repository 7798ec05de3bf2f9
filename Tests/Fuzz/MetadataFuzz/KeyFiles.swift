import Foundation
import SeedFormat
import SeedTrust

/// A key file with any JSON in it.
struct KeyFiles {
  private let path = NSTemporaryDirectory() + "seedbank-fuzz-\(ProcessInfo.processInfo.processIdentifier).key"

  func read(_ bytes: [UInt8]) {
    // Another content is refused at once, and a file takes longer than all else here.
    guard (try? JSONValue(parsing: bytes)) != nil else { return }
    do {
      // Not atomically, for that waits for the disk.
      try Data(bytes).write(to: URL(filePath: path))
    } catch {
      preconditionFailure("\(error)")
    }
    guard let file = try? KeyFile(reading: path) else { return }
    let message = Array("a row".utf8)
    precondition(file.key.publicKey.verify(file.key.sign(message), of: message), "the halves are of two keys")
  }
}
