import Foundation
import Support
import Testing

/// `Scripts/run-tests` must fail, name the test and leave nothing running for any kind of failure.
@Suite struct RunnerTests {
  private static let tests = URL(filePath: #filePath).deletingLastPathComponent()

  private func run(_ plant: String, _ options: String...) throws -> ProgramOutcome {
    let script = Self.tests.appending(path: "../../Scripts/run-tests").standardized.path
    return try TestProgram.run(
      ["python3", script, Self.tests.appending(path: "planted_bundle.py").path, "--grace-seconds", "0.2"]
        + options,
      environment: ["SEEDBANK_PLANT": plant], within: longestWait)
  }

  @Test func `passing tests are green and counted`() throws {
    let outcome = try run("passes")
    #expect(outcome.status == 0 && outcome.output.hasSuffix("3 passed, 0 failed, 0 skipped\n"), "\(outcome)")
  }

  @Test func `a megabyte of output is no failure`() throws {
    #expect(try run("prints").status == 0)
  }

  @Test(arguments: [
    ("fails", "✘ Planted.Suite/second(): issueRecorded"),
    ("crashes", "✘ Planted.Suite/second(): the process ended by signal 6 (Aborted)\n  | the last words"),
    ("leaks", "✘ Planted.Suite/second(): left a program running: sleep 3600"),
    ("strays", "✘ a program left running: sleep 3600"),
    ("misses", "✘ Planted.Suite/third(): it was run 0 times"),
  ])
  func `each planted fault is reported and fails the run`(_ plant: String, _ words: String) throws {
    let outcome = try run(plant)
    #expect(outcome.status == 1 && outcome.output.contains(words), "\(outcome)")
  }

  @Test func `a hanging test is killed with its programs and its stacks are printed`() throws {
    let outcome = try run("hangs", "--test-seconds", "2")
    #expect(outcome.status == 1, "\(outcome)")
    #expect(outcome.output.contains("✘ Planted.Suite/second(): did not end within 2 s"), "\(outcome)")
    #expect(outcome.output.contains("sleep 3600") && outcome.output.contains("Thread 1"), "\(outcome)")
    #expect(outcome.output.contains("✘ Planted.Suite/third(): it was run 0 times"), "\(outcome)")
  }
}
