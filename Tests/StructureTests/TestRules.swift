import Foundation
import Support
import Testing

@Suite("Rules for tests")
struct TestRules {
  private static let project = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  /// Foundation's Process leaks descriptors to other children, and waiting for it or for its output has no limit.
  /// Tests of the program run it like a user.
  private static let forbidden = [
    "Process" + "()", "Pipe" + "()", "waitUntilExit" + "()", "readDataToEndOfFile" + "()",
    "while true" + " {", "} while true" + "\n",
    "@testable import seedbank" + "\n",
  ]

  @Test("tests and benchmarks start programs in one way, end every wait, and use no internals of the program")
  func waits() throws {
    for folder in ["Tests", "Benchmarks"] {
      for case let file as URL in FileManager.default.enumerator(
        at: Self.project.appending(path: folder), includingPropertiesForKeys: nil)!
      where file.pathExtension == "swift" {
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(Self.forbidden.filter(text.contains) == [], "\(file.lastPathComponent)")
        // A program's wait throws at its limit.
        let waits = text.split(separator: "\n").filter { $0.contains(".wait" + "()") && !$0.contains("try") }
        #expect(waits == [], "\(file.lastPathComponent)")
      }
    }
  }
}
