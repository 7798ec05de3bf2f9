import SeedFormat
import SeedSystem

/// Which publication the one here goes on from, where it was begun anew: all that was published below a version is inherited,
/// whoever published it.
package enum MirrorInheritance {
  private static func file(_ stateFolder: String) -> String { "\(stateFolder)/mirrors/inherits.json" }

  /// 0 where nothing is inherited.
  static func version(in stateFolder: String) -> Int {
    let bytes = try? DurableFile.readIfPresent(file(stateFolder), limit: PublicationDirectory.mostFileBytes)
    guard let bytes = bytes ?? nil else { return 0 }
    return (try? JSONValue(parsing: bytes))?["below"]?.integer ?? 0
  }

  /// Mirrors may be overwritten from now on, as far as they show a timestamp of a lower version.
  package static func claim(below version: Int, in stateFolder: String) throws {
    let path = file(stateFolder)
    try Folder.create(Folder.parent(of: path), mode: 0o700)
    try DurableFile.write((["below": JSONValue(version)] as JSONValue).bytes, to: path, mode: 0o600)
  }
}
