import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// A file that is arriving: written and hashed at once.
final class PartialFile: Sendable {
  let object: PublishedObject
  let url: String
  let path: String
  private let state: Mutex<State>

  fileprivate struct State: ~Copyable {
    var file: File
    var hasher = SHA256Hasher()
    var length = 0
    var validator: String?
    var hasRecord = false

    init(_ file: consuming File) { self.file = file }
  }

  /// Bytes of a part that are read at a time.
  private static let readBytes = 256 * 1024

  /// Opens what is there of an object, and hashes it: what a record does not vouch for is removed.
  init(_ object: PublishedObject, url: String, in folder: String) throws {
    (self.object, self.url) = (object, url)
    path = "\(folder)/\(object.sha256.hex)\(PartialRecord.partSuffix)"
    let record = PartialRecord.read(besides: path)
    let isKnown = record.map { $0.url == url && $0.sha256 == object.sha256.hex && $0.length == object.length }
    guard isKnown == true else {
      state = Mutex(State(try File(path, for: .replacing, mode: 0o600)))
      return
    }
    state = Mutex(State(try File(path, for: .updating, mode: 0o600)))
    try state.withLock { state in
      (state.validator, state.hasRecord) = (record?.validator, true)
      try state.hash(pieces: Self.readBytes)
    }
    if length > object.length { try restart() }
  }

  /// Bytes that are here.
  var length: Int { state.withLock { $0.length } }
  /// The strong validator under which they came.
  var validator: String? { state.withLock { $0.validator } }
  var isComplete: Bool { length == object.length }
  /// Whether another process could go on with it.
  var isResumable: Bool { state.withLock { $0.hasRecord && $0.length > 0 } }

  /// Makes ready for the first bytes of an answer.
  func begin(_ validator: String?) throws {
    try state.withLock { state in
      guard state.length == 0 else { return }
      state.validator = validator
      try PartialRecord(url: url, sha256: object.sha256.hex, length: object.length, validator: validator)
        .write(besides: path)
      state.hasRecord = true
    }
  }

  /// Appends bytes, up to `end` of the file.
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

  /// Forgets all that came.
  func restart() throws {
    try state.withLock { state in
      state = State(try File(path, for: .replacing, mode: 0o600))
    }
  }

  /// Whether the whole file has the hash that was signed. It ends the hashing.
  func isSigned() -> Bool { state.withLock { $0.hasher.finish() } == object.sha256 }

  /// Removes the file and its record. Where that fails, the sweep at the next start does it.
  func discard() { Self.discard(path) }

  static func discard(_ path: String) {
    try? Folder.remove(path)
    try? Folder.remove(PartialRecord.path(besides: path))
  }
}

extension PartialFile.State {
  /// Hashes what the file has; the next bytes go behind it.
  fileprivate mutating func hash(pieces count: Int) throws {
    while true {
      let piece = try file.read(count)
      if piece.isEmpty { return }
      hasher.update(piece)
      length += piece.count
    }
  }
}
