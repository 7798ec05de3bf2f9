import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// Where the publisher remembers since when files are not named any more.
struct PruningMemory {
  private let path: String

  /// A file in the publisher's state folder.
  init(_ stateFolder: String) { path = "\(stateFolder)/unnamed-files.json" }

  /// What was remembered; nothing where it is lost or damaged, which only makes files stay longer.
  func read() throws(FileError) -> Pruning.Memory {
    guard let bytes = try DurableFile.readIfPresent(path, limit: FileLimit.metadataBytes),
      let members = try? JSONValue(parsing: bytes).members
    else { return [:] }
    var memory: Pruning.Memory = [:]
    for member in members {
      memory[member.name] = member.value.integer.map { UTCTime(secondsSinceEpoch: $0) }
    }
    return memory
  }

  /// Remembers.
  func write(_ memory: Pruning.Memory) throws(FileError) {
    let members = memory.sorted { $0.key < $1.key }
      .map { JSONMember($0.key, .integer(Int64($0.value.secondsSinceEpoch))) }
    try DurableFile.write(JSONValue.object(members).bytes, to: path)
  }
}
