import Foundation

/// The source files of a folder of modules, and the types that each of them names.
struct SourceTree {
  struct File {
    /// For example `SeedClient/Update/UpdatePlanner.swift`.
    let path: String
    let lines: Int
    /// Top-level types except private ones.
    let declared: Set<String>
    /// Counts of each capitalized word.
    let words: [String: Int]
    /// Whether it opens a database in the mode for files made on this machine.
    let opensOwnFiles: Bool

    var module: String { String(path.prefix { $0 != "/" }) }

    /// The folder below the module, for example `Front/Metrics`; nil for files of the module itself.
    var folder: String? {
      let folders = path.split(separator: "/").dropFirst().dropLast()
      return folders.isEmpty ? nil : folders.joined(separator: "/")
    }
  }

  let files: [File]
  /// The folders of each module in the order that its opening file declares.
  let folders: [String: [String]]

  static func project() throws -> SourceTree {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return try SourceTree(reading: tests.deletingLastPathComponent().appending(path: "Sources"))
  }

  init(reading folder: URL) throws {
    var texts: [String: String] = [:]
    for case let file as URL in FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)!
    where file.pathExtension == "swift" {
      texts[String(file.path.dropFirst(folder.path.count + 1))] = try String(
        contentsOf: file, encoding: .utf8)
    }
    self.init(texts)
  }

  /// - Parameter texts: Sources by path below the modules' folder.
  init(_ texts: [String: String]) {
    files = texts.map { File(path: $0.key, text: $0.value) }.sorted { $0.path < $1.path }
    folders = texts.reduce(into: [:]) { folders, file in
      let parts = file.key.split(separator: "/")
      guard parts.count == 2, parts[1] == "\(parts[0]).swift" else { return }
      folders[String(parts[0])] = Self.folders(statedIn: file.value)
    }
  }

  /// Reads the comment `// Folders, lowest first: A, B, C.`, which may span several lines.
  private static func folders(statedIn text: String) -> [String]? {
    guard let start = text.range(of: "// Folders, lowest first:") else { return nil }
    let sentence = text[start.upperBound...].prefix { $0 != "." }
    return sentence.split(separator: ",").map { part in
      part.split { $0.isWhitespace }.filter { !$0.hasPrefix("//") }.joined()
    }
  }
}

extension SourceTree.File {
  fileprivate init(path: String, text: String) {
    self.path = path
    lines = text.utf8.reduce(0) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
    let code = SwiftCode.bare(text)
    declared = Self.declarations(in: code)
    opensOwnFiles = Self.opensOwnFiles(code)
    words = code.split { !Self.isPartOfName($0) }.reduce(into: [:]) { counts, word in
      guard (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(word.first!) else { return }
      counts[String(decoding: word, as: UTF8.self), default: 0] += 1
    }
  }

  private static func opensOwnFiles(_ code: [UInt8]) -> Bool {
    let code = String(decoding: code, as: UTF8.self)
    guard code.contains("Connection(") else { return false }
    let others = ["borrowing:", ".memory", ".scratch", ".snapshot", ".received", ".seed", ".copy"]
    return code.matches(of: /[^A-Za-z._]Connection\(([^)\n]*)/).contains { call in
      !others.contains { call.1.contains($0) }
    }
  }

  private static func isPartOfName(_ byte: UInt8) -> Bool {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
      || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || byte == UInt8(ascii: "_")
  }

  /// The types declared at the left margin. The formatter indents everything else.
  private static func declarations(in code: [UInt8]) -> Set<String> {
    let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "actor", "typealias"]
    let others: Set<Substring> = ["import", "private", "fileprivate", "extension", "func", "let", "var"]
    let lines = String(decoding: code, as: UTF8.self).split(separator: "\n")
    return Set(
      lines.compactMap { line in
        guard let first = line.first, first.isLetter || first == "@" else { return nil }
        let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "@") }
        guard let kind = words.firstIndex(where: kinds.contains), kind + 1 < words.count,
          !words[..<kind].contains(where: others.contains), words[kind + 1].first!.isUppercase
        else { return nil }
        return String(words[kind + 1])
      })
  }
}
