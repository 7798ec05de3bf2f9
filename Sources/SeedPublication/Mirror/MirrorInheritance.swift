import SeedFormat
import SeedSystem

/// Records that this publication continues another one: timestamps below a version are inherited.
package enum MirrorInheritance {
  private static func file(_ stateFolder: String) -> String { "\(stateFolder)/mirrors/inherits.json" }

  /// 0 if nothing is inherited.
  static func version(in stateFolder: String) -> Int {
    let bytes = try? DurableFile.readIfPresent(file(stateFolder), limit: PublicationDirectory.mostFileBytes)
    guard let bytes = bytes ?? nil else { return 0 }
    return (try? JSONValue(parsing: bytes))?["below"]?.integer ?? 0
  }

  /// Allows mirrors to be overwritten if their timestamp has a lower version.
  package static func claim(below version: Int, in stateFolder: String) throws {
    let path = file(stateFolder)
    try Folder.create(Folder.parent(of: path), mode: 0o700)
    try DurableFile.write((["below": JSONValue(version)] as JSONValue).bytes, to: path, mode: 0o600)
  }
}
