import Foundation
import Support
import Testing

/// Rules for the tests themselves.
@Suite("Rules for tests")
struct TestRules {
  private static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

  @Test(
    "programs are started by Support alone, with a limit: Foundation's own way leaks descriptors and hangs")
  func programs() throws {
    for case let file as URL in FileManager.default.enumerator(
      at: Self.tests, includingPropertiesForKeys: nil)!
    where file.pathExtension == "swift" && !file.path.contains("/Benchmarks/") {
      let text = try String(contentsOf: file, encoding: .utf8)
      for word in ["Process", "waitUntilExit", "readDataToEndOfFile"] {
        #expect(!text.contains("\(word)()"), "\(file.lastPathComponent)")
      }
    }
  }
}
