import Foundation
import SeedDatabase
import SeedSystem
import Support

/// The file operations of a run, to simulate a power loss at any point.
///
/// The simulated disk guarantees only synced data: bytes after their file was synced, names after their folder was.
/// In between it may keep any pending writes of a file, and pending names up to any point.
struct WriteLog {
  struct Operation {
    let name: String
    let path: String
    let other: String
    let offset: Int
    let bytes: ArraySlice<UInt8>
  }

  struct Garbled: Error {
    let line: String
  }

  static func operations(in log: [UInt8]) throws -> [Operation] {
    var operations: [Operation] = []
    var rest = log[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let line = String(decoding: rest[..<end], as: UTF8.self)
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 5, let offset = Int(parts[3]), let length = Int(parts[4]) else {
        throw Garbled(line: line)
      }
      let bytes = rest[(end + 1)...].prefix(length)
      operations.append(
        Operation(name: parts[0], path: parts[1], other: parts[2], offset: offset, bytes: bytes))
      rest = rest[bytes.endIndex...]
    }
    return operations
  }
}

extension WriteLog.Operation {
  /// Makes the paths absolute, because a command logs its store's path as given.
  func under(_ directory: String) -> Self {
    func whole(_ path: String) -> String {
      path.isEmpty || path.hasPrefix("/") ? path : "\(directory)/\(path)"
    }
    return Self(name: name, path: whole(path), other: whole(other), offset: offset, bytes: bytes)
  }
}

/// A folder on a disk that loses unsynced changes.
struct ForgetfulDisk {
  /// A file's bytes, shared by its names.
  private final class Content {
    var durable: [UInt8] = []
    var pending: [Change] = []
  }

  private enum Change {
    case write(at: Int, ArraySlice<UInt8>)
    case truncate(to: Int)
  }

  private enum Entry {
    case folder
    case file(Content)
  }

  private struct Naming {
    let folder: String
    let path: String
    let entry: Entry?
  }

  private let root: String
  private var durable: [String: Entry] = [:]
  private var current: [String: Entry] = [:]
  private var namings: [[Naming]] = []
  private(set) var generation = 0

  /// Reads the folder as durable content; operations' paths begin with `root`.
  init(_ folder: String, root: String) throws {
    self.root = root
    try read(folder, "")
    durable = current
  }

  private mutating func read(_ folder: String, _ path: String) throws {
    for name in try Folder.names(in: folder) {
      let inner = "\(path)/\(name)"
      if Folder.isFolder("\(folder)/\(name)") {
        current[inner] = .folder
        try read("\(folder)/\(name)", inner)
      } else {
        let content = Content()
        content.durable = Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)")))
        current[inner] = .file(content)
      }
    }
  }

  mutating func perform(_ operation: WriteLog.Operation) {
    // SQLite recreates its readers' shared memory after a restart.
    guard let path = inner(operation.path), !path.hasSuffix("-shm") else { return }
    switch operation.name {
    case "create": if current[path] == nil { name([(path, .file(Content()))]) }
    case "replace":
      if content(path) == nil { name([(path, .file(Content()))]) }
      content(path)?.pending.append(.truncate(to: 0))
    case "write": content(path)?.pending.append(.write(at: operation.offset, operation.bytes))
    case "truncate": content(path)?.pending.append(.truncate(to: operation.offset))
    case "sync": sync(path)
    case "mkdir": name([(path, .folder)])
    case "unlink", "rmdir": name([(path, nil)])
    case "rename": if let other = inner(operation.other) { name([(other, current[path]), (path, nil)]) }
    default: break
    }
  }

  private mutating func name(_ changes: [(path: String, entry: Entry?)]) {
    for change in changes { current[change.path] = change.entry }
    namings.append(changes.map { Naming(folder: Folder.parent(of: $0.path), path: $0.path, entry: $0.entry) })
  }

  private mutating func sync(_ path: String) {
    generation += 1
    if let content = content(path) {
      content.durable = Self.applied(content.pending, to: content.durable)
      content.pending = []
      return
    }
    let folder = path.isEmpty ? "/" : path
    for naming in namings.joined() where naming.folder == folder { durable[naming.path] = naming.entry }
    namings.removeAll { $0[0].folder == folder }
  }

  // MARK: After a power loss

  /// Writes the remaining files into a new folder; with `chance`, some unsynced changes too.
  func restart(in folder: String, chance: inout SplitMix?) throws {
    var names = durable
    if chance != nil {
      for naming in namings.prefix(Int.random(in: 0...namings.count, using: &chance!)).joined() {
        names[naming.path] = naming.entry
      }
    }
    try Folder.create(folder)
    for (path, entry) in names.sorted(by: { $0.key < $1.key }) {
      // Files in a lost folder are lost.
      guard Folder.isFolder(Folder.parent(of: folder + path)) else { continue }
      switch entry {
      case .folder: try Folder.create(folder + path)
      case .file(let content):
        var kept: [Change] = []
        if chance != nil { kept = content.pending.filter { _ in Bool.random(using: &chance!) } }
        let bytes = Self.applied(kept, to: content.durable)
        try Data(bytes).write(to: URL(fileURLWithPath: folder + path))
      }
    }
  }

  private static func applied(_ changes: [Change], to bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for change in changes {
      switch change {
      case .truncate(let length):
        if length < bytes.count { bytes.removeLast(bytes.count - length) }
        bytes += Array(repeating: 0, count: length - bytes.count)
      case .write(let offset, let written):
        bytes += Array(repeating: 0, count: max(0, offset + written.count - bytes.count))
        bytes.replaceSubrange(offset..<offset + written.count, with: written)
      }
    }
    return bytes
  }

  private func content(_ path: String) -> Content? {
    if case .file(let content) = current[path] { content } else { nil }
  }

  /// Returns the path within the folder with its leading slash, empty for the folder.
  private func inner(_ path: String) -> String? {
    path == root ? "" : path.hasPrefix(root + "/") ? String(path.dropFirst(root.count)) : nil
  }
}
