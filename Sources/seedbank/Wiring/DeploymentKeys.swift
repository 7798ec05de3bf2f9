import SeedDatabase
import SeedTrust

/// The keys that a publisher finds in its folder.
struct DeploymentKeys {
  let online: OnlineKeys
  /// Absent where the operator keeps it offline; needed only to delegate to a new series.
  let targets: RoleSigners?

  /// Reads them; a key that others could read is reported through `warn`.
  init(folder: String, warn: (String) -> Void) throws {
    func signers(_ role: PublicationFounder.KeyRole) throws -> RoleSigners {
      let path = "\(folder)/\(role.fileName)"
      let file = try KeyFile(reading: path)
      if file.isTooOpen { warn("\(path) can be read by others: chmod 600 it.") }
      return RoleSigners([file.key])
    }
    online = OnlineKeys(
      series: try signers(.series), snapshot: try signers(.snapshot), timestamp: try signers(.timestamp))
    let hasTargets = Folder.exists("\(folder)/\(PublicationFounder.KeyRole.targets.fileName)")
    targets = hasTargets ? try signers(.targets) : nil
  }
}
