import SeedSystem

import class Foundation.FileManager

@testable import seedbank

/// The demo's deployment in the repository.
enum DemoFiles {
  static let folder = {
    let repository = (0..<4).reduce("\(#filePath)") { path, _ in Folder.parent(of: path) }
    return "\(repository)/Config/demo"
  }()

  static var all: [String] {
    ((try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []).sorted()
  }
}
