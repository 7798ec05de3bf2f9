import Foundation
import SeedFormat
import SeedSigning
import SeedTrust

struct KeyFiles {
  private let path = NSTemporaryDirectory() + "seedbank-fuzz-\(ProcessInfo.processInfo.processIdentifier).key"

  func read(_ bytes: [UInt8]) {
    // Other content is rejected early, and a file costs more than everything else here.
    guard (try? JSONValue(parsing: bytes)) != nil else { return }
    do {
      // Not atomically, because that waits for the disk.
      try Data(bytes).write(to: URL(filePath: path))
    } catch {
      preconditionFailure("\(error)")
    }
    guard let file = try? KeyFile(reading: path) else { return }
    let message = Array("a row".utf8)
    precondition(file.key.publicKey.verify(file.key.sign(message), of: message), "the halves are of two keys")
  }
}
