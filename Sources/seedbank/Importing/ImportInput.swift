import SeedFormat
import SeedSystem

/// One of the documents of an import, in reading order.
struct ImportInput: Sendable {
  let path: String
  let name: String
  let size: Int?
  fileprivate let stamp: FileStamp?

  static let standardInput = "-"
  private static let inputPath = "/dev/stdin"

  private init(file path: String) throws {
    guard let stamp = try FileStamp(path) else {
      throw CommandFailure(.inputOutput, "\(path): there is no such file.")
    }
    (self.path, name, self.stamp) = (path, path, stamp)
    size = stamp.isRegular ? stamp.size : nil
  }

  private init() { (path, name, size, stamp) = (Self.inputPath, "standard input", nil, nil) }

  /// The files from the command line. A folder means its JSON and CSV files, and those named by a mapping, sorted by name.
  static func all(_ words: [String], _ paths: [String], _ isWanted: (String) -> Bool) throws -> [ImportInput]
  {
    var inputs: [ImportInput] = []
    for (word, path) in zip(words, paths) {
      if word == standardInput { inputs.append(ImportInput()) } else { inputs += try at(path, isWanted) }
    }
    for (number, input) in inputs.enumerated() where inputs[..<number].contains(where: input.isSame) {
      throw CommandFailure(.usage, "\(input.name) is given twice.")
    }
    return inputs
  }

  private static func at(_ path: String, _ isWanted: (String) -> Bool) throws -> [ImportInput] {
    guard Folder.isFolder(path) else { return [try ImportInput(file: path)] }
    let names = try Folder.names(in: path).filter { !$0.hasPrefix(".") && isWanted($0) }.sorted()
    guard !names.isEmpty else {
      throw CommandFailure(
        .badData,
        "\(path) has no file to import: none ends in .json, .ndjson, .jsonl or .csv, with or without .gz, or has a "
          + "name that the mapping's lists have.")
    }
    return try names.map { try ImportInput(file: "\(path)/\($0)") }
  }

  private func isSame(as other: ImportInput) -> Bool {
    guard let stamp, let otherStamp = other.stamp else { return path == other.path }
    return stamp.isOfSameFile(as: otherStamp)
  }
}
