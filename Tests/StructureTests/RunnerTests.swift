import Foundation
import Support
import Testing

/// `Scripts/run-tests` must fail, name the test and leave nothing running for any kind of failure.
@Suite struct RunnerTests {
  private struct Plant {
    let name: String
    var status: Int32 = 1
    var options: [String] = []
    let words: [String]
  }

  private static let plants = [
    Plant(name: "passes", status: 0, words: ["3 passed, 0 failed, 0 skipped\n"]),
    // A megabyte of output is not a failure.
    Plant(name: "prints", status: 0, words: []),
    Plant(name: "fails", words: ["✘ Planted.Suite/second(): issueRecorded"]),
    Plant(
      name: "crashes",
      words: ["✘ Planted.Suite/second(): the process ended by signal 6 (Aborted)\n  | the last words"]),
    Plant(name: "leaks", words: ["✘ Planted.Suite/second(): left a program running: sleep 3600"]),
    Plant(name: "strays", words: ["✘ a program left running: sleep 3600"]),
    Plant(name: "misses", words: ["✘ Planted.Suite/third(): it was run 0 times"]),
    // It is killed with its programs, and its stacks are printed.
    Plant(
      name: "hangs", options: ["--test-seconds", "2"],
      words: [
        "✘ Planted.Suite/second(): did not end within 2 s", "sleep 3600", "Thread 1",
        "✘ Planted.Suite/third(): it was run 0 times",
      ]),
  ]

  private func start(_ plant: Plant) throws -> TestProgram {
    let tests = URL(filePath: #filePath).deletingLastPathComponent()
    let script = tests.appending(path: "../../Scripts/run-tests").standardized.path
    let bundle = tests.appending(path: "planted_bundle.py").path
    return try TestProgram(
      ["python3", script, bundle, "--grace-seconds", "0.2"] + plant.options,
      environment: ["SEEDBANK_PLANT": plant.name])
  }

  @Test func `each planted fault is reported and fails the run, and nothing else does`() throws {
    // At once, because each waits most of its time.
    for (plant, run) in try Self.plants.map({ ($0, try start($0)) }) {
      let outcome = try run.outcome(within: longestWait)
      #expect(outcome.status == plant.status, "\(plant.name): \(outcome)")
      for words in plant.words { #expect(outcome.output.contains(words), "\(plant.name): \(outcome)") }
    }
  }

  @Test func `a crashed process leaves no file in its folders`() throws {
    let plant = try #require(Self.plants.first { $0.name == "crashes" })
    let outcome = try start(plant).outcome(within: longestWait)
    let start = "  | the last words "
    let words = try #require(outcome.output.split(separator: "\n").first { $0.hasPrefix(start) })
    let folders = words.dropFirst(start.count).split(separator: " ").map(String.init)
    #expect(folders.count == 2)
    for folder in folders { #expect(!FileManager.default.fileExists(atPath: folder), "\(folder)") }
  }
}
