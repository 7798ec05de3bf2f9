import SeedFormat
import SeedSystem

import class Foundation.Bundle
import class Foundation.FileManager
import class Foundation.ProcessInfo

struct Context: Sendable {
  let environment: [String: String]
  let currentDirectory: String
  let console: Console

  static func process() -> Context {
    let environment = ProcessInfo.processInfo.environment
    return Context(
      environment: environment, currentDirectory: FileManager.default.currentDirectoryPath,
      console: .standard(environment: environment))
  }

  static let pageVariable = "SEEDBANK_PUBLIC"

  /// Relative to a folder above the binary: in a clone, and in an installed package.
  private static let usualPlaces = ["Public", "share/seedbank/Public"]

  func pageFolder(
    named option: String?, binaryIn folder: String = Folder.parent(of: Bundle.main.executablePath ?? "/")
  ) throws(CommandFailure) -> String? {
    if let named = option ?? environment[Self.pageVariable], !named.isEmpty {
      let named = Paths.absolute(named, from: currentDirectory)
      if holdsPage(named) { return named }
      throw CommandFailure(.configuration, "\(named.printable): expected a folder with index.html.")
    }
    let parts = folder.split(separator: "/")
    return (0...parts.count).flatMap { count in
      let above = "/" + parts.dropLast(count).joined(separator: "/")
      return Self.usualPlaces.map { Paths.absolute($0, from: above) }
    }.first(where: holdsPage)
  }

  private func holdsPage(_ folder: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(folder)/index.html")
  }
}
