import SeedSystem

/// An operator's program as the system looks for it.
struct ProgramFile {
  /// With a slash a path, else a name that is searched for.
  let name: String
  private let environment: [String: String]

  init(_ name: String, _ environment: [String: String]) {
    (self.name, self.environment) = (name, environment)
  }

  private var isPath: Bool { name.contains("/") }

  /// The files of that name, in the order in which the system tries them.
  private var files: [String] {
    let places =
      isPath ? [name] : (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
    return places.filter { (try? FileStamp($0))??.isRegular == true }
  }

  /// Why it could not be started; `nil` where it can.
  var fault: String? {
    if isPath, Folder.isFolder(name) {
      return "\(name.printable) is a folder, and no program: correct the path"
    }
    guard let found = files.first else {
      let place = isPath ? name.printable : "\(name.printable) in PATH"
      return "there is no program \(place): put it there, or correct the path"
    }
    let canRun = files.contains { access($0, X_OK) == 0 }
    return canRun ? nil : "this user may not run \(found.printable): chmod +x it"
  }
}
