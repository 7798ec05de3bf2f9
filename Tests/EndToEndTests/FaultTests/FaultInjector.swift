import Foundation
import Support

/// Runs the real command and fails one file operation, or kills the process at it.
struct FaultInjector {
  private let folder: TemporaryFolder
  let library: String

  enum Fault: String, CaseIterable {
    case kill
    case ioError = "eio"
    case diskFull = "enospc"
    /// This and all further operations fail.
    case diskStaysFull = "enospc-on"
  }

  init() throws { (folder, library) = (try TemporaryFolder(), try PreloadedLibrary.path("injector")) }

  /// Counts the file operations of a run that ends with `status`, optionally only those on paths that contain `word`.
  func count(
    _ arguments: [String], on word: String? = nil, status: Int32 = 0, in directory: String,
    environment: [String: String] = [:]
  ) throws -> Int {
    let bytes = try watch(
      arguments, "SEEDBANK_FAULT_COUNT", on: word, status: status, in: directory, environment)
    let text = String(decoding: bytes, as: UTF8.self)
    return Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
  }

  func log(_ arguments: [String], in directory: String) throws -> [WriteLog.Operation] {
    try WriteLog.operations(in: watch(arguments, "SEEDBANK_FAULT_LOG", in: directory))
  }

  private func watch(
    _ arguments: [String], _ variable: String, on word: String? = nil, status: Int32 = 0,
    in directory: String, _ more: [String: String] = [:]
  ) throws -> [UInt8] {
    let file = folder("watched")
    let outcome = try SeedbankBinary.run(
      arguments, environment: environment(more.merging([variable: file]) { $1 }, on: word), in: directory)
    guard outcome.status == status else {
      throw Tool.Failure(
        command: arguments.joined(separator: " "), status: outcome.status,
        output: outcome.output + outcome.errors)
    }
    return Array(try Data(contentsOf: URL(fileURLWithPath: file)))
  }

  private func environment(_ more: [String: String], on word: String?) -> [String: String] {
    ["LD_PRELOAD": library].merging(more) { $1 }.merging(word.map { ["SEEDBANK_FAULT_ON": $0] } ?? [:]) { $1 }
  }

  /// Runs the command with a fault at one operation, counted from 1; with a word, only operations on paths that
  /// contain it count.
  func run(
    _ arguments: [String], _ fault: Fault, at operation: Int, on word: String? = nil, in directory: String,
    environment more: [String: String] = [:]
  ) throws -> ProgramOutcome {
    let more = more.merging(["SEEDBANK_FAULT": "\(fault.rawValue):\(operation)"]) { $1 }
    return try SeedbankBinary.run(arguments, environment: environment(more, on: word), in: directory)
  }

  /// Runs the command with a disk that cannot read a seed's rows once `file` exists.
  func run(_ arguments: [String], failingReadsWith file: String, in directory: String) throws
    -> ProgramOutcome
  {
    try SeedbankBinary.run(
      arguments, environment: ["LD_PRELOAD": library, "SEEDBANK_FAULT_READS": file], in: directory)
  }

  /// Returns the faults to try and their operations. In a quick run, the process dies early, and the disk is full late.
  /// With `turn`, a quick run tries only one of both, so that several commands take turns.
  static func attempts(_ count: Int, sample: Int, turn: Int? = nil) -> [(fault: Fault, point: Int)] {
    guard Stage.current == .quick else {
      return Fault.allCases.flatMap { fault in points(count, sample: sample).map { (fault, $0) } }
    }
    let both: [(fault: Fault, point: Int)] = [(.kill, 1 + count / 3), (.diskFull, 1 + 2 * count / 3)]
    return turn.map { [both[$0 % 2]] } ?? both
  }

  /// Returns the operations to fail: all in a deep run, one in a quick run, otherwise `sample` ones spread evenly from
  /// first to last.
  static func points(_ count: Int, sample: Int) -> [Int] {
    if Stage.current == .quick { return count > 0 ? [1 + count / 2] : [] }
    guard !Stage.isDeep, count > sample, sample > 1 else { return count > 0 ? Array(1...count) : [] }
    return (0..<sample).map { 1 + $0 * (count - 1) / (sample - 1) }
  }
}
