import Foundation

/// Somebody without root's rights, for programs that root shall not run.
enum OrdinaryUser {
  static let isNeeded = geteuid() == 0
  private static let id = 65534

  /// The command as that user runs it.
  static func running(_ command: [String]) -> [String] {
    guard isNeeded else { return command }
    return ["setpriv", "--reuid=\(id)", "--regid=\(id)", "--clear-groups"] + command
  }

  /// Gives that user a file, or a folder with all that is in it.
  static func give(_ path: String) throws {
    if isNeeded { try Tool.run("chown", ["-R", "\(id):\(id)", path]) }
  }
}
