import class Foundation.Bundle
import class Foundation.FileManager

/// Where the web page's files are.
struct PageFolder {
  let environment: [String: String]
  let currentDirectory: String
  /// The folder that holds the running binary.
  let executableFolder: String

  static let variable = "SEEDBANK_PUBLIC"
  static let name = "Public"

  init(_ context: Context) {
    self.init(
      environment: context.environment, currentDirectory: context.currentDirectory,
      executableFolder: Paths.folder(of: Bundle.main.executablePath ?? "/"))
  }

  init(environment: [String: String], currentDirectory: String, executableFolder: String) {
    self.environment = environment
    self.currentDirectory = currentDirectory
    self.executableFolder = executableFolder
  }

  /// The folder that was named, else the nearest `Public` beside or above the binary: where it is installed
  /// with its page, and in the package that it was built in.
  func folder(named flag: String?) throws(CommandFailure) -> String? {
    if let named = flag ?? environment[Self.variable], !named.isEmpty {
      let folder = Paths.absolute(named, from: currentDirectory)
      guard Self.holdsPage(folder) else {
        throw CommandFailure(.configuration, "\(folder.printable): expected a folder with index.html.")
      }
      return folder
    }
    return candidates.first(where: Self.holdsPage)
  }

  private var candidates: [String] {
    let parts = executableFolder.split(separator: "/")
    return (0...parts.count).map { dropped in
      Paths.absolute(Self.name, from: "/" + parts.dropLast(dropped).joined(separator: "/"))
    }
  }

  private static func holdsPage(_ folder: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(folder)/index.html")
  }
}
