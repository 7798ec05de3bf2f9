import Foundation
import SeedFormat
import SeedSystem
import SeedTrust

final class PartialFile: Sendable {
  let object: PublishedObject
  let url: String
  let path: String
  private let mode: mode_t
  private let state: Mutex<State>

  fileprivate struct State: ~Copyable {
    var file: File
    var hasher = SHA256Hasher()
    var length = 0
    var validator: String?
    var hasRecord = false

    init(_ file: consuming File) { self.file = file }
  }

  private static let readBytes = 256 * 1024

  /// Opens and hashes the part of an object that is already here; removes it if it has no matching record.
  init(_ object: PublishedObject, url: String, in folder: String, mode: mode_t) throws {
    (self.object, self.url, self.mode) = (object, url, mode)
    path = Self.path(of: object, in: folder)
    let record = PartialRecord.read(besides: path)
    let isKnown = record.map { $0.url == url && $0.sha256 == object.sha256.hex && $0.length == object.length }
    guard isKnown == true else {
      state = Mutex(State(try File(path, for: .replacing, mode: mode)))
      return
    }
    state = Mutex(State(try File(path, for: .updating, mode: mode)))
    try state.withLock { state in
      (state.validator, state.hasRecord) = (record?.validator, true)
      try state.hash(pieces: Self.readBytes)
    }
    if length > object.length { try restart() }
  }

  var length: Int { state.withLock { $0.length } }
  var validator: String? { state.withLock { $0.validator } }
  var isComplete: Bool { length == object.length }
  var isResumable: Bool { state.withLock { $0.hasRecord && $0.length > 0 } }

  func begin(_ validator: String?) throws {
    try state.withLock { state in
      guard state.length == 0 else { return }
      state.validator = validator
      try PartialRecord(url: url, sha256: object.sha256.hex, length: object.length, validator: validator)
        .write(besides: path)
      state.hasRecord = true
    }
  }

  func take(_ bytes: [UInt8], upTo end: Int) throws {
    try state.withLock { state in
      guard state.length + bytes.count <= end else {
        throw TransportError.tooLong(url: url, limit: object.length)
      }
      try state.file.write(bytes)
      state.hasher.update(bytes)
      state.length += bytes.count
    }
  }

  func restart() throws {
    try state.withLock { state in state = State(try File(path, for: .replacing, mode: mode)) }
  }

  func isSigned() -> Bool { state.withLock { $0.hasher.finish() } == object.sha256 }

  func discard() { Self.discard(path) }

  static func path(of object: PublishedObject, in folder: String) -> String {
    "\(folder)/\(object.sha256.hex)\(PartialRecord.partSuffix)"
  }

  static func discard(_ path: String) {
    try? Folder.remove(path)
    try? Folder.remove(PartialRecord.path(besides: path))
  }
}

extension PartialFile.State {
  fileprivate mutating func hash(pieces count: Int) throws {
    while true {
      let piece = try file.read(count)
      if piece.isEmpty { return }
      hasher.update(piece)
      length += piece.count
    }
  }
}

/// The folder for downloads. Hashing an existing part blocks, so the actor has its own queue.
actor PartialFolder: BlockingActor {
  nonisolated let executor = QueueExecutor(label: "seedbank.partial")
  private let path: String
  /// Permissions of a download that is later moved to a place where other users can read it.
  private let mode: mode_t

  init(_ path: String, mode: mode_t = 0o600) { (self.path, self.mode) = (path, mode) }

  func open(_ object: PublishedObject, url: String) throws -> PartialFile {
    try PartialFile(object, url: url, in: path, mode: mode)
  }

  nonisolated func forget(_ object: PublishedObject) {
    PartialFile.discard(PartialFile.path(of: object, in: path))
  }

  /// Removes the parts of other objects. Throws if the volume lacks the space for the update.
  func makeRoom(
    for objects: [PublishedObject], over file: FileShape? = nil, in folder: String,
    freeBytes: @Sendable (_ folder: String) -> Int?
  ) throws {
    try DiskPlan(objects, held: keep(objects), over: file).check(available: freeBytes(folder), in: folder)
  }

  /// Removes the parts of other objects. Returns how many bytes of `objects` are already here.
  func keep(_ objects: [PublishedObject]) throws -> Int {
    let wanted = Set(objects.map(\.sha256.hex))
    for name in try Folder.names(in: path) where !wanted.contains(Self.digest(name)) {
      try Folder.removeAny("\(path)/\(name)")
    }
    let held = try Folder.names(in: path).filter { $0.hasSuffix(PartialRecord.partSuffix) }
    return try held.reduce(0) { $0 + (try File("\(path)/\($1)", for: .reading).length()) }
  }

  static func sweep(_ folder: String) throws(FileError) {
    let names = try Folder.names(in: folder)
    for name in names {
      let part = digest(name) + PartialRecord.partSuffix
      let isPaired = names.contains(part) && names.contains(PartialRecord.path(besides: part))
      if !isPaired { try Folder.removeAny("\(folder)/\(name)") }
    }
  }

  private static func digest(_ name: String) -> String { String(name.prefix { $0 != "." }) }
}

/// A record beside an unfinished download, with which another process can resume it.
struct PartialRecord: Hashable, Codable {
  let url: String
  let sha256: String
  let length: Int
  let validator: String?

  private static let limit = 4096
  static let partSuffix = ".part"

  static func read(besides part: String) -> PartialRecord? {
    guard let bytes = try? DurableFile.readIfPresent(path(besides: part), limit: limit) else { return nil }
    return try? JSONDecoder().decode(PartialRecord.self, from: Data(bytes))
  }

  static func path(besides part: String) -> String { part + ".json" }

  /// Writes the record without fsync: losing it costs only a new download.
  func write(besides part: String) throws {
    let file = try File(Self.path(besides: part), for: .replacing, mode: 0o600)
    try file.write(Array(JSONEncoder().encode(self)))
  }
}
