import Foundation

/// An unprivileged user, for programs that must not run as root.
enum OrdinaryUser {
  static let isNeeded = geteuid() == 0
  private static let id = 65534

  /// Wraps a command so that it runs as that user.
  static func running(_ command: [String]) -> [String] {
    guard isNeeded else { return command }
    return ["setpriv", "--reuid=\(id)", "--regid=\(id)", "--clear-groups"] + command
  }

  /// Changes the owner of a file or a folder tree to that user.
  static func give(_ path: String) throws {
    if isNeeded { try Tool.run("chown", ["-R", "\(id):\(id)", path]) }
  }
}
