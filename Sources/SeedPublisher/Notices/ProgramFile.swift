import SeedFormat
import SeedSystem

/// The file of a program that the operator named.
package struct ProgramFile {
  /// A path if it has a slash, otherwise a name to search in PATH.
  private let name: String
  private let environment: [String: String]

  package init(_ name: String, _ environment: [String: String]) {
    (self.name, self.environment) = (name, environment)
  }

  /// A child process's environment, without paths of keys and without the service manager's socket, which could impersonate
  /// this process.
  package static func environment(forOthers environment: [String: String]) -> [String: String] {
    environment.filter {
      $0.key != "NOTIFY_SOCKET" && !($0.key.hasPrefix("SEEDBANK_") && $0.key.contains("KEY"))
    }
  }

  private var isPath: Bool { name.contains("/") }

  /// The candidate files in search order.
  private var files: [String] {
    let places =
      isPath ? [name] : (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
    return places.filter { (try? FileStamp($0))??.isRegular == true }
  }

  package var fault: String? {
    if isPath, Folder.isFolder(name) {
      return "\(name.printable) is a folder, not a program: correct the path"
    }
    guard let found = files.first else {
      let place = isPath ? name.printable : "\(name.printable) in PATH"
      return "there is no program \(place): put it there, or correct the path"
    }
    let canRun = files.contains { access($0, X_OK) == 0 }
    return canRun ? nil : "this user may not run \(found.printable): chmod +x it"
  }
}
