import Foundation

struct WorkloadFiles {
  let folder: String
  private let contender: String

  init(_ folder: String, _ contender: String) {
    self.folder = folder
    self.contender = contender
  }

  var target: String { "\(folder)/target-\(contender.filter { $0.isLetter || $0.isNumber }).sqlite" }

  func source(_ phase: Phase) -> String { "\(folder)/source-\(phase.rawValue).sqlite" }

  /// A delta of the same rows from the target's version.
  func delta(_ phase: Phase) -> String { "\(folder)/delta-\(phase.rawValue).json" }

  func documents(_ phase: Phase) throws -> [String] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    let own = names.filter { $0.hasPrefix("document-\(phase.rawValue)-") }
    return own.sorted().map { "\(folder)/\($0)" }
  }

  func document(_ phase: Phase, _ number: Int) -> String {
    "\(folder)/document-\(phase.rawValue)-\(String(number + 100_000).dropFirst()).json"
  }

  func removeTarget() {
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: target + suffix) }
  }
}
