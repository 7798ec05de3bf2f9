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
        case FileError.notRegular: "expected a file, found something else of that name"
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
      // Both from 1; columns count characters, not bytes.
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

/// Changes single keys of a configuration file; comments and other keys stay in order.
struct ConfigurationEdit {
  private let file: String
  private var json: JSONValue

  init(_ file: String) throws {
    self.file = file
    json = try TextFile.json(file)
  }

  subscript(path: String...) -> JSONValue? {
    get { path.reduce(json as JSONValue?) { $0?[$1] } }
    set { json = json.setting(path[...], to: newValue ?? .null) }
  }

  /// Replaces the file that a link leads to, not the link.
  func save() throws {
    try DurableFile.write(Array(json.prettyText.utf8), to: PhysicalPath.existing(file) ?? file)
  }
}

extension JSONValue {
  fileprivate func setting(_ path: ArraySlice<String>, to value: JSONValue) -> JSONValue {
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
