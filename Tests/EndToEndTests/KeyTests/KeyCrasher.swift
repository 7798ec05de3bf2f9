import Foundation
import SeedSystem
import Support
import Testing

/// Runs a command that crashes in one of libcrypto's calls that can reach a secret key, and keeps every printed byte.
struct KeyCrasher {
  enum Crash: String, CaseIterable {
    /// Uses a bad address while registers point to the key.
    case segfault
    /// The library rejects a call that cannot fail.
    case rejection
  }

  struct Run {
    let ending: TestProgram.Ending
    let printed: [UInt8]
    /// The key of each call, in hexadecimal digits.
    let calls: [String]

    var isKilled: Bool { if case .killed = ending { true } else { false } }

    /// Keys, even of another run, of which the command printed a part.
    func shown(orOf others: [String] = []) -> Set<String> {
      printed.isEmpty ? [] : Set(calls + others).filter { KeyTraces(of: $0).areIn(printed) }
    }
  }

  private let folder: TemporaryFolder
  private let library: String

  init() throws {
    (folder, library) = (try TemporaryFolder(inMemory: true), try PreloadedLibrary.path("key_crasher"))
  }

  /// Runs the command without a crash. One that does not end is ended once it printed its last word.
  func watch(_ command: TypedCommand, in directory: String) throws -> Run {
    let program = try start(command, [:], in: directory)
    if let word = command.lastWord {
      try waitUntil("\(command) prints \(word)") {
        try String(decoding: content("printed"), as: UTF8.self).contains(word)
      }
      program.send(SIGTERM)
    }
    return try run(program)
  }

  /// Runs the command with a crash at one call, counted from 1. If `isReported`, the command cannot turn off the crash
  /// reporter of Swift's runtime.
  func run(
    _ command: TypedCommand, _ crash: Crash, at call: Int, isReported: Bool = false, in directory: String
  ) throws -> Run {
    let variables = ["SEEDBANK_CRASH": "\(crash.rawValue):\(call)"]
    let more = isReported ? ["SEEDBANK_CRASH_REPORT": "1"] : [:]
    return try run(start(command, variables.merging(more) { $1 }, in: directory))
  }

  private func start(_ command: TypedCommand, _ variables: [String: String], in directory: String) throws
    -> TestProgram
  {
    for name in ["printed", "calls"] { try Folder.remove(folder(name)) }
    let own = [
      "LD_PRELOAD": library, "SEEDBANK_CRASH_LOG": folder("calls"), "SWIFT_BACKTRACE": "enable=yes,color=no",
    ]
    let output = open(folder("printed"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    return try TestProgram(
      ["bash", "-c", "exec seedbank \(command.words)"], in: directory,
      environment: OperatorsMachine.environment.merging(own) { $1 }.merging(variables) { $1 }, isBare: true,
      output: output, joined: true)
  }

  private func run(_ program: TestProgram) throws -> Run {
    let ending = try program.wait(within: longestWait)
    let calls = try String(decoding: content("calls"), as: UTF8.self).split(separator: "\n").map(String.init)
    return Run(ending: ending, printed: try content("printed"), calls: calls)
  }

  private func content(_ name: String) throws -> [UInt8] {
    guard folder.exists(name) else { return [] }
    return Array(try Data(contentsOf: URL(filePath: folder(name))))
  }
}
