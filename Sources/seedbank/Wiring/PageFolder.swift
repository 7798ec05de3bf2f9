import SeedSystem

import class Foundation.Bundle
import class Foundation.FileManager

extension Context {
  static let pageVariable = "SEEDBANK_PUBLIC"

  /// The one that was named, else the nearest `Public` beside or above the binary, installed or in its package.
  func pageFolder(
    named option: String?, binaryIn folder: String = Folder.parent(of: Bundle.main.executablePath ?? "/")
  ) throws(CommandFailure) -> String? {
    if let named = option ?? environment[Self.pageVariable], !named.isEmpty {
      let named = Paths.absolute(named, from: currentDirectory)
      if holdsPage(named) { return named }
      throw CommandFailure(.configuration, "\(named.printable): expected a folder with index.html.")
    }
    let parts = folder.split(separator: "/")
    return (0...parts.count).map {
      Paths.absolute("Public", from: "/" + parts.dropLast($0).joined(separator: "/"))
    }.first(where: holdsPage)
  }

  private func holdsPage(_ folder: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(folder)/index.html")
  }
}
