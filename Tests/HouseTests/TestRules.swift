import Foundation
import Support
import Testing

/// What a newcomer may expect of the tests themselves, and of the messages.
@Suite("Rules for tests and messages")
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

  @Test("the index of the tests names every room, and only files that exist")
  func index() throws {
    let index = try String(contentsOf: Self.tests.appending(path: "README.md"), encoding: .utf8)
    let names = Set(index.matches(of: #/`([A-Za-z]+(?:/[A-Za-z0-9]+)+)`/#).map { String($0.1) })
    let rooms = Set(try House.project().files.compactMap { file in file.room.map { "\(file.module)/\($0)" } })
    #expect(rooms.subtracting(names) == [], "these rooms are not in Tests/README.md")
    for name in names.subtracting(rooms) {
      let place = Self.tests.appending(path: name).path
      #expect(["", ".swift"].contains { FileManager.default.fileExists(atPath: place + $0) }, "\(name)")
    }
  }

  @Test("no message got lost: messages.txt says which declaration has how many")
  func messages() throws {
    let script = Self.tests.deletingLastPathComponent().appending(path: "Scripts/messages").path
    let found = Self.counts(Data(try TestProgram.run([script, "--keys"], within: longestWait).output.utf8))
    let list = Self.tests.appending(path: "HouseTests/messages.txt")
    let listed = Self.counts(try Data(contentsOf: list))
    let lost = listed.filter { (found[$0.key] ?? 0) < $0.value }.keys.sorted()
    let new = found.filter { (listed[$0.key] ?? 0) < $0.value }.keys.sorted()
    let remedy = "If that was meant: Scripts/messages --keys > Tests/HouseTests/messages.txt"
    #expect(lost == [], "These had more messages. \(remedy)")
    #expect(new == [], "These are not in the list. \(remedy)")
  }

  private static func counts(_ keys: Data) -> [String: Int] {
    String(decoding: keys, as: UTF8.self).split(separator: "\n").reduce(into: [:]) { counts, line in
      guard let space = line.lastIndex(of: " ") else { return }
      counts[String(line[..<space])] = Int(line[line.index(after: space)...])
    }
  }
}
