package import SeedFormat
import SeedSystem

/// Small files of the publisher's own, whose loss it survives: a missing, unreadable or damaged one reads as `nil`.
package enum StateFile {
  package static func text(_ path: String) -> String? {
    let bytes = try? DurableFile.readIfPresent(path, limit: PublicationDirectory.mostFileBytes)
    return bytes.map { String(decoding: $0, as: UTF8.self) }
  }

  package static func json(_ path: String) -> JSONValue? {
    let bytes = try? DurableFile.readIfPresent(path, limit: PublicationDirectory.mostFileBytes)
    return bytes.flatMap { try? JSONValue(parsing: $0) }
  }
}
