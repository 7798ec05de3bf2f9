import Foundation
import SeedFormat
import SeedSystem
import SeedTrust

/// The part of an object that has arrived. The file is named after the object's digest, so any process can resume it.
final class PartialFile: Sendable {
  let object: PublishedObject
  let path: String
  private let mode: mode_t
  private let state: Mutex<State>

  private struct State: ~Copyable {
    var file: File
    var hasher = SHA256Hasher()
    var length = 0

    init(_ file: consuming File) { self.file = file }
  }

  /// Opens the file and hashes the part that has already arrived.
  init(_ object: PublishedObject, in folder: String, mode: mode_t) throws {
    (self.object, self.mode) = (object, mode)
    path = "\(folder)/\(Self.name(of: object))"
    state = Mutex(State(try File(path, for: .updating, mode: mode)))
    try state.withLock { $0.length = try $0.hasher.update($0.file) }
    if length > object.length { try restart() }
  }

  var length: Int { state.withLock { $0.length } }
  var isComplete: Bool { length == object.length }

  func take(_ bytes: [UInt8]) throws {
    try state.withLock { state in
      try state.file.write(bytes)
      state.hasher.update(bytes)
      state.length += bytes.count
    }
  }

  func restart() throws {
    try state.withLock { state in state = State(try File(path, for: .replacing, mode: mode)) }
  }

  func isSigned() -> Bool { state.withLock { $0.hasher.finish() } == object.sha256 }

  func discard() { try? Folder.remove(path) }

  static func name(of object: PublishedObject) -> String { "\(object.sha256.hex).part" }
}

extension SHA256Hasher {
  private static let pieceBytes = 256 * 1024

  /// Hashes a file from its current position, and returns the number of bytes hashed. Stops if the task is
  /// cancelled, because a large file takes seconds.
  mutating func update(_ file: borrowing File) throws -> Int {
    var length = 0
    while true {
      try Task.checkCancellation()
      let piece = try file.read(Self.pieceBytes)
      if piece.isEmpty { return length }
      update(piece)
      length += piece.count
    }
  }
}

extension [PublishedObject] {
  /// Returns the disk space that an update still needs: the bytes to download, minus the `held` bytes that have
  /// already arrived, plus the expanded contents of all files.
  func space(held: Int) -> Int { reduce(Swift.max(bytes - held, 0)) { $0 + $1.rawLength } }

  func checkSpace(held: Int, available: Int?, in folder: String) throws(SeedError) {
    let needed = space(held: held)
    guard let available, needed > available else { return }
    throw SeedError(
      .insufficientSpace,
      "the update needs \(ByteCount(bytes: needed)) in \(folder), but only \(ByteCount(bytes: available)) is free: free some space and try again",
      neededBytes: needed, availableBytes: available)
  }
}

/// The folder for downloads. Hashing an existing part blocks, so the actor has its own queue.
actor PartialFolder: BlockingActor {
  nonisolated let executor = QueueExecutor(label: "seedbank.partial")
  private let path: String
  /// The file mode of downloads, which bundles and `seedbank follow` move to folders that other users read.
  private let mode: mode_t

  init(_ path: String, mode: mode_t) { (self.path, self.mode) = (path, mode) }

  func open(_ object: PublishedObject) throws -> PartialFile { try PartialFile(object, in: path, mode: mode) }

  /// Removes parts of objects not in `objects`. Throws if the volume lacks the space for the update.
  func makeRoom(
    for objects: [PublishedObject], in folder: String, freeBytes: @Sendable (_ folder: String) -> Int?
  ) throws { try objects.checkSpace(held: keep(objects), available: freeBytes(folder), in: folder) }

  /// Removes parts of objects not in `objects`. Returns how many bytes of these have already arrived.
  func keep(_ objects: [PublishedObject]) throws -> Int {
    let wanted = Set(objects.map(PartialFile.name))
    for name in try Folder.names(in: path) where !wanted.contains(name) {
      try Folder.removeAny("\(path)/\(name)")
    }
    return try Folder.names(in: path).reduce(0) { $0 + (try File("\(path)/\($1)", for: .reading).length()) }
  }
}
