import Foundation
import Support
import Testing

@Suite("Rules for tests")
struct TestRules {
  private static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

  @Test(
    "only Support starts programs, with a limit, because Foundation's Process leaks descriptors and hangs")
  func programs() throws {
    for case let file as URL in FileManager.default.enumerator(
      at: Self.tests, includingPropertiesForKeys: nil)!
    where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      for word in ["Process", "waitUntilExit", "readDataToEndOfFile"] {
        #expect(!text.contains("\(word)()"), "\(file.lastPathComponent)")
      }
    }
  }
}
