import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem

enum TextFile {
  static let longest = 4 * 1024 * 1024

  static func bytes(
    _ path: String, for purpose: File.Purpose = .readingRegular(followsLinks: true)
  ) throws(Refusal) -> [UInt8] {
    do {
      return try File(path, for: purpose).readAll(limit: longest)
    } catch {
      let problem =
        switch error.number {
        case ENOENT: "expected this file, found none"
        case EFBIG: "expected at most \(longest) bytes, found more"
        case FileError.notRegular: "expected a regular file, found something else"
        default: "cannot be read: \(error.reason)"
        }
      throw Refusal.configuration(path, problem)
    }
  }

  static func json(_ path: String) throws(Refusal) -> JSONValue {
    let bytes = try bytes(path)
    do throws(JSONError) {
      return try JSONValue(parsing: bytes)
    } catch {
      // Lines and columns start at 1. Columns count characters, not bytes.
      let read = bytes[..<min(error.offset, bytes.count)]
      let lines = read.split(separator: 0x0A, omittingEmptySubsequences: false)
      let column = String(decoding: lines.last ?? [], as: UTF8.self).count + 1
      throw Refusal.configuration("\(path):\(lines.count):\(column)", error.reason)
    }
  }

  static func text(_ path: String) throws(Refusal) -> String {
    guard let text = String(validating: try bytes(path), as: UTF8.self) else {
      throw Refusal.configuration(path, "expected text in UTF-8, found bytes that are not")
    }
    return text
  }
}

/// Changes single keys of a configuration file. Keeps comments, other keys and their order.
struct ConfigurationEdit {
  private var json: JSONValue

  /// Waits while another command changes the file. Otherwise, one of the two changes would be lost. If the file is a
  /// symbolic link, changes its target.
  static func make(in file: String, _ change: (inout Self) -> Void) throws {
    let file = PhysicalPath.existing(file) ?? file
    let lock = try locked(file)
    var edit = Self(json: try TextFile.json(file))
    change(&edit)
    try DurableFile.rewrite(Array(edit.json.prettyText.utf8), to: file)
    lock.unlock()
  }

  private static let waitSeconds = 10
  private static let pauseMicroseconds: UInt32 = 20_000

  /// Locks the configuration file itself, so that no lock file stays in the operator's folder. Each change replaces the
  /// file, so a lock on a replaced file does not count. Works without a lock if the file system has none.
  private static func locked(_ path: String) throws -> File {
    let deadline = ContinuousClock.now + .seconds(waitSeconds)
    while true {
      let file = try File(path, for: .reading)
      let isLocked = (try? file.tryLock()) ?? true
      if isLocked, try file.hasItsName() { return file }
      guard ContinuousClock.now < deadline else {
        throw Refusal(
          .locked,
          "\(path.printable): another process has kept it locked for \(waitSeconds) seconds: try again later."
        )
      }
      usleep(pauseMicroseconds)
    }
  }

  subscript(path: String...) -> JSONValue? {
    get { path.reduce(json as JSONValue?) { $0?[$1] } }
    set { json = json.setting(path[...], to: newValue ?? .null) }
  }
}

extension JSONValue {
  func setting(_ path: ArraySlice<String>, to value: JSONValue) -> JSONValue {
    guard let name = path.first else { return value }
    var members = members ?? []
    let inner = (self[name] ?? [:]).setting(path.dropFirst(), to: value)
    if let place = members.firstIndex(where: { $0.name == name }) {
      members[place] = JSONMember(name, inner)
    } else {
      members.append(JSONMember(name, inner))
    }
    return .object(members)
  }
}
