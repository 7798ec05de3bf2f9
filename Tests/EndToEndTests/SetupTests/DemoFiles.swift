import Foundation
import SeedSystem

enum DemoFiles {
  static let folder = {
    let repository = (0..<4).reduce("\(#filePath)") { path, _ in Folder.parent(of: path) }
    return "\(repository)/Config/demo"
  }()

  static func text(_ name: String) throws -> String {
    try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
  }

  static var all: [String] {
    ((try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []).sorted()
  }
}
