import Foundation
import Support
import Testing

/// `Scripts/run-tests` must fail, name the test and leave nothing running for any kind of failure.
@Suite struct RunnerTests {
  private static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private struct Plant {
    let name: String
    var status: Int32 = 1
    var options: [String] = []
    let words: [String]
  }

  private static let plants = [
    Plant(name: "passes", status: 0, words: ["3 passed, 0 failed, 0 skipped\n"]),
    // A megabyte of output is not a failure.
    // The limit applies to one case, and to a whole process.
    Plant(name: "cases", status: 0, options: ["--test-seconds", "2"], words: []),
    Plant(name: "many", status: 2, options: ["--test-seconds", "2"], words: ["did not end within 2 s"]),
    Plant(name: "prints", status: 0, words: []),
    Plant(name: "fails", words: ["✘ Planted.Suite/second(): issueRecorded"]),
    Plant(name: "fails and prints", words: ["✘ Planted.Suite/second(): issueRecorded"]),
    Plant(
      name: "crashes", status: 2,
      words: ["✘ Planted.Suite/second(): the process ended by signal 6 (Aborted)\n  | the last words"]),
    Plant(name: "leaks", words: ["✘ Planted.Suite/second(): left a program running: sleep 3600"]),
    Plant(name: "strays", words: ["✘ a program left running: sleep 3600"]),
    Plant(name: "misses", words: ["✘ Planted.Suite/third(): it was run 0 times"]),
    // It is killed with its programs, and its stacks are printed.
    Plant(
      name: "hangs", status: 2, options: ["--test-seconds", "2"],
      words: [
        "✘ Planted.Suite/second(): did not end within 2 s", "sleep 3600", "Thread 1",
        "✘ Planted.Suite/third(): it was run 0 times",
      ]),
    Plant(
      name: "hangs", status: 2, options: ["--test-seconds", "0.5", "--builds", "second"],
      words: ["✘ Planted.Suite/second(): did not end within 3 s"]),
    Plant(
      name: "hangs after its tests", options: ["--test-seconds", "2"],
      words: ["✘ StructureTests (Suite): did not end within 2 s"]),
  ]

  private func start(_ plant: Plant, in project: URL? = nil) throws -> TestProgram {
    let project = project ?? Self.tests.deletingLastPathComponent()
    return try TestProgram(
      [
        "python3", project.appending(path: "Scripts/run-tests").path,
        project.appending(path: "Tests/StructureTests/planted_bundle.py").path, "--grace-seconds", "0.2",
      ] + plant.options,
      environment: ["SEEDBANK_PLANT": plant.name, "PLANT_CHILDREN": folder("children")])
  }

  @Test
  func `each planted fault is reported and fails the run, nothing else does, and nothing is left running`()
    throws
  {
    // At once, because each waits most of its time.
    for (plant, run) in try Self.plants.map({ ($0, try start($0)) }) {
      let outcome = try run.outcome(within: longestWait)
      #expect(outcome.status == plant.status, "\(plant.name): \(outcome)")
      for words in plant.words { #expect(outcome.output.contains(words), "\(plant.name): \(outcome)") }
    }
    try expectEnd(of: 4)
  }

  @Test func `a run that gets several signals leaves nothing running`() throws {
    let run = try start(Plant(name: "hangs", words: []))
    try waitUntil("the planted test runs") { FileManager.default.fileExists(atPath: folder("children")) }
    try waitUntil("the run ends", every: 0.0005) {
      run.send(SIGTERM)
      return !run.isRunning
    }
    try expectEnd(of: 1)
  }

  /// The programs that the planted tests started have ended.
  private func expectEnd(of count: Int) throws {
    let children = try String(contentsOfFile: folder("children"), encoding: .utf8).split(separator: "\n")
    #expect(children.count == count)
    for child in children {
      let state = try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)
      #expect(state == nil || state!.contains(") Z "), "\(state!)")
    }
  }

  @Test(arguments: [
    ("fails", "second()", "issueRecorded", Int32(0)), ("fails", "second()", "another message", 1),
    ("fails and leaks", "second()", "issueRecorded", 1),
    ("hangs", "second()", "did not end", 2), ("passes", "fourth()", "any", 1),
  ])
  func `a quarantined test may fail with its message, but may not hang, and must exist`(
    _ plant: String, _ test: String, _ message: String, _ status: Int32
  ) throws {
    let line = "\(Self.date(-1))\tPlanted.Suite/\(test)\t\(message)"
    let options = plant == "hangs" ? ["--test-seconds", "2"] : []
    let run = try start(
      Plant(name: plant, options: options, words: []), in: project(quarantining: [line]))
    let outcome = try run.outcome(within: longestWait)
    #expect(outcome.status == status, "\(outcome)")
  }

  @Test(arguments: [
    ["\(date(-9))\tPlanted.Suite/first()\tmessage"], ["\(date(3))\tPlanted.Suite/first()\tmessage"],
    ["\(date(0))\tPlanted.Suite/first()"], (1...6).map { "\(date(0))\tPlanted.Suite/test\($0)()\tmessage" },
  ])
  func `a quarantine that is expired, in the future, too long or without a message ends the run`(
    _ lines: [String]
  ) throws {
    let run = try start(Plant(name: "passes", words: []), in: project(quarantining: lines))
    let outcome = try run.outcome(within: longestWait)
    #expect(outcome.status == 1 && outcome.errors.contains("quarantine.txt: "), "\(outcome)")
  }

  private static func date(_ days: Int) -> String {
    String(Date(timeIntervalSinceNow: 86400 * Double(days)).ISO8601Format().prefix(10))
  }

  /// A project with a quarantine and the planted bundle.
  private func project(quarantining lines: [String]) throws -> URL {
    let project = URL(filePath: folder("project"))
    for name in ["Scripts/run-tests", "Tests/StructureTests/planted_bundle.py"] {
      let place = project.appending(path: name)
      try FileManager.default.createDirectory(
        at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: Self.tests.appending(path: "../\(name)").standardized, to: place)
    }
    try Data(lines.map { "\($0)\n" }.joined().utf8)
      .write(to: project.appending(path: "Tests/quarantine.txt"))
    return project
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
