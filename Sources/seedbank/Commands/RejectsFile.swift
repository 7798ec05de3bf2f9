import SeedFormat
import SeedImport
import SeedPublication
import SeedPublisher
import SeedSystem

/// Rejected rows as lines of JSON. A temporary file replaces the target before the first rows are committed, or at the
/// end if nothing is committed. Rows go directly to a pipe or another special file.
final class RejectsFile {
  private let path: String
  /// The temporary file until it replaces the target.
  private var temporary: String?
  private let isRegular: Bool
  private let file: File

  /// `others` are the import's own files, which must not be overwritten.
  init(_ path: String, sparing others: [ImportFile]) throws {
    self.path = PhysicalPath.folder(path)
    isRegular = try FileStamp(path)?.isRegular ?? true
    let temporary = isRegular ? self.path + DurableFile.temporarySuffix : nil
    for name in [self.path, temporary].compactMap(\.self) {
      guard let other = try others.first(where: { try $0.isSame(as: name) }) else { continue }
      throw Refusal(
        .usage,
        "The rejected rows would overwrite \(name), which is \(other.role): give another name with --rejects."
      )
    }
    self.temporary = temporary
    file = try File(temporary ?? self.path, for: .replacing)
  }

  func append(_ row: ImportReject) throws { try file.write(row.json + [0x0A]) }

  /// Syncs the lines and replaces the target.
  func secure() throws {
    guard isRegular else { return }
    try file.sync()
    if let temporary {
      try DurableFile.moveIntoPlace(temporary, path)
      self.temporary = nil
    }
  }

  func discard() { if let temporary { try? Folder.remove(temporary) } }
}

struct ImportFile {
  let path: String
  let role: String

  /// True if both paths lead to one file, or would if it does not exist yet.
  func isSame(as other: String) throws -> Bool {
    if let own = try FileStamp(path), let other = try FileStamp(other) {
      return own.isRegular && own.isOfSameFile(as: other)
    }
    return PhysicalPath.folder(path) == PhysicalPath.folder(other)
  }
}
