import Foundation
import Support
import Testing

/// The vectors in `Examples/vectors`, for tests of other clients.
@Suite struct VectorTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Examples/vectors").standardized

  @Test func `the publisher reproduces the vectors byte for byte`() throws {
    let isWriting = ProcessInfo.processInfo.environment["SEEDBANK_WRITE_VECTORS"] != nil
    for (name, text) in try VectorHistory().files() {
      let file = Self.folder.appending(path: name)
      if isWriting { try text.write(to: file, atomically: false, encoding: .utf8) }
      #expect(
        try String(contentsOf: file, encoding: .utf8) == text,
        "\(name) is another one; if it should be: SEEDBANK_WRITE_VECTORS=1 Scripts/test --filter VectorTests")
    }
  }

  #if os(Linux)
  @Test(arguments: [["python3", "apply.py"], ["node", "apply.mjs"]])
  func `an independent client in Python or JavaScript applies the vectors`(_ program: [String]) throws {
    let applied = try TestProgram.run(
      [program[0], Self.folder.appending(path: program[1]).path], joined: true, within: longestWait)
    #expect(applied.output == "5 versions have their rows, digests and searches\n")
  }
  #endif
}
