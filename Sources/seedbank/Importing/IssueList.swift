import Foundation
import SeedFormat
import SeedImport
import SeedSystem

/// Issues as JSON in an unnamed temporary file, because they may not fit into memory.
final class IssueList: Sendable {
  private let state: Mutex<State>

  private struct State: ~Copyable {
    let file: File
    var waiting: [UInt8] = []
    var isEmpty = true
  }

  private static let pieceBytes = 64 * 1024

  init() throws {
    let path = Paths.scratchPrefix + UUID().uuidString
    let file = try File(path, for: .updating, mode: 0o600)
    try Folder.remove(path)
    state = Mutex(State(file: file))
  }

  func append(_ issue: ImportIssue) throws {
    try state.withLock { state in
      if !state.isEmpty { state.waiting.append(UInt8(ascii: ",")) }
      state.isEmpty = false
      state.waiting += issue.json.text.escapingControlsInJSON.utf8
      guard state.waiting.count >= Self.pieceBytes else { return }
      try state.file.write(state.waiting)
      state.waiting.removeAll(keepingCapacity: true)
    }
  }

  func print(_ report: ImportReport, _ console: Console) throws {
    // The report's own list of issues is empty.
    let text = report.json.text.escapingControlsInJSON
    let end = "]}"
    guard text.hasSuffix("[\(end)") else { preconditionFailure("the issues are the last of a report") }
    try console.result(Array(text.dropLast(end.count).utf8))
    try state.withLock { state in
      var offset = 0
      while case let piece = try state.file.read(Self.pieceBytes, at: offset), !piece.isEmpty {
        try console.result(piece)
        offset += piece.count
      }
      try console.result(state.waiting)
    }
    try console.result(Array("\(end)\n".utf8))
  }
}
