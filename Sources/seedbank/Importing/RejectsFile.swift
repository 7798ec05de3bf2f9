import SeedDatabase
import SeedFormat
import SeedImport
import SeedSystem

/// Rejected rows as lines of JSON, each with its reason; they replace the file once an import that read anything ends.
/// A pipe or another special file takes them as they come.
final class RejectsFile {
  private let path: String
  private let temporary: String?
  private let file: File

  /// `others` are the import's own files, which must not be overwritten.
  init(_ path: String, sparing others: [ImportFile]) throws {
    self.path = PhysicalPath.folder(path)
    let isReplaced = try FileStamp(path)?.isRegular ?? true
    let temporary = isReplaced ? self.path + DurableFile.temporarySuffix : nil
    for name in [self.path, temporary].compactMap(\.self) {
      guard let other = try others.first(where: { try $0.isSame(as: name) }) else { continue }
      throw CommandFailure(
        .usage,
        "The rejected rows would overwrite \(name), which is \(other.role): give another name with --rejects."
      )
    }
    self.temporary = temporary
    file = try File(temporary ?? self.path, for: .replacing)
  }

  func append(_ issue: ImportIssue, row: [UInt8]) throws {
    var line = issue.json.bytes
    line.removeLast()
    line += ",\"value\":".utf8
    line += row.isEmpty ? Array("null".utf8) : row
    line += "}\n".utf8
    try file.write(line)
  }

  /// Keeps the lines of an earlier run of the same import about the rows before this one, which are skipped now.
  func takeOver(upTo row: Int, of document: String) throws {
    guard temporary != nil, try FileStamp(path) != nil else { return }
    let earlier = try File(path, for: .reading)
    for line in try earlier.read(earlier.length()).split(separator: 0x0A) {
      guard let issue = try? JSONValue(parsing: Array(line)), issue["document"]?.string == document,
        let number = issue["row"]?.integer, number < row
      else { continue }
      try file.write(line + [0x0A])
    }
  }

  func keep() throws {
    guard let temporary else { return }
    try file.sync()
    try DurableFile.moveIntoPlace(temporary, path)
  }

  func discard() { if let temporary { try? Folder.remove(temporary) } }
}

struct ImportFile {
  let path: String
  let role: String

  /// True where both paths lead to one file, or would, if it does not exist yet.
  func isSame(as other: String) throws -> Bool {
    if let own = try FileStamp(path), let other = try FileStamp(other) {
      return own.isRegular && own.isOfSameFile(as: other)
    }
    return PhysicalPath.folder(path) == PhysicalPath.folder(other)
  }
}
