import SeedDatabase
import SeedFormat
import SeedImport
import SeedSystem

/// Rejected rows as lines of JSON, each with its reason.
///
/// They are written beside the file, which they replace at the end of an import that read anything: also of one
/// that failed, for then they are wanted most. What is no regular file, such as a pipe, takes them as they come.
final class RejectsFile {
  private let path: String
  private let temporary: String?
  private let file: File

  /// Opens what the rows go to; `others` are the import's own files, which no row may overwrite.
  init(_ path: String, sparing others: [ImportFile]) throws {
    self.path = PhysicalPath.folder(path)
    let isReplaced = try FileStamp(path)?.isRegular ?? true
    let temporary = isReplaced ? self.path + DurableFile.temporarySuffix : nil
    for name in [self.path, temporary].compactMap(\.self) {
      guard let other = try others.first(where: { try $0.isSame(as: name) }) else { continue }
      throw CommandFailure(
        .usage,
        "The rejected rows would overwrite \(name), which is \(other.role): give --rejects another name.")
    }
    self.temporary = temporary
    file = try File(temporary ?? self.path, for: .replacing)
  }

  /// Writes one row, a value of JSON, with its reason.
  func append(_ issue: ImportIssue, row: [UInt8]) throws {
    var line = issue.json.bytes
    line.removeLast()
    line += ",\"value\":".utf8
    line += row.isEmpty ? Array("null".utf8) : row
    line += "}\n".utf8
    try file.write(line)
  }

  /// Takes over what an earlier run of the same import had to say of the rows before this one, which are passed over.
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

  /// Puts the rows in the place of an earlier import's.
  func keep() throws {
    guard let temporary else { return }
    try file.sync()
    try DurableFile.moveIntoPlace(temporary, path)
  }

  /// Leaves an earlier import's rows as they are.
  func discard() {
    guard let temporary else { return }
    try? Folder.remove(temporary)
  }
}

/// A file that an import reads or writes, and what it is to it.
struct ImportFile {
  let path: String
  let role: String

  /// Whether both names are of one file; where there is none yet, whether they would be.
  func isSame(as other: String) throws -> Bool {
    if let own = try FileStamp(path), let other = try FileStamp(other) {
      return own.isRegular && own.isOfSameFile(as: other)
    }
    return PhysicalPath.folder(path) == PhysicalPath.folder(other)
  }
}
