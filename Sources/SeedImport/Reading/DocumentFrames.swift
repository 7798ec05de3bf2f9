import SeedSystem

/// Finds the lists of a document by its name.
struct DocumentFrames {
  private let lists: [ImportMapping.List]
  private var frames: [[Int]: DocumentFrame] = [:]
  /// Indexes of lists whose document was read.
  private var met: Set<Int> = []

  /// Builds the frame of each list and its neighbours, so that an invalid mapping fails before the first row.
  init(_ mapping: ImportMapping) throws {
    lists = mapping.lists
    for file in Set(lists.map(\.file)) { _ = try frame(lists.indices.filter { lists[$0].file == file }) }
    if lists.isEmpty { _ = try frame([]) }
  }

  /// The frame of a document; lists that name it take precedence over lists for all documents.
  mutating func frame(of document: String) throws -> DocumentFrame {
    let named = lists.indices.filter {
      lists[$0].file.map { ImportMapping.isFile(document, named: $0) } ?? false
    }
    let numbers = named.isEmpty ? lists.indices.filter { lists[$0].file == nil } : named
    guard !numbers.isEmpty else {
      let files = lists.compactMap(\.file).joined(separator: ", ")
      throw ImportFailure(.document, "\(document) is none of the mapping's files: it names \(files)")
    }
    met.formUnion(numbers)
    return try frame(numbers)
  }

  /// A frame for lines that name their lists.
  mutating func anyFrame() throws -> DocumentFrame {
    try frame(lists.indices.filter { lists[$0].file == lists[0].file })
  }

  private mutating func frame(_ numbers: [Int]) throws -> DocumentFrame {
    if let known = frames[numbers] { return known }
    let frame = try DocumentFrame(numbers.map { ($0, lists[$0]) })
    frames[numbers] = frame
    return frame
  }

  func checkAllCame() throws {
    for (number, list) in lists.enumerated() where !list.isOptional && !met.contains(number) {
      guard let file = list.file else { continue }
      throw ImportFailure(
        .document,
        "no document of the import is \(file), where the rows of the table \"\(list.table.table)\" are: give it too, "
          + "or make the list optional in the mapping")
    }
  }

  /// The file name without the extension of a compressed file.
  fileprivate static func name(_ document: String) -> String {
    let name = document.split(separator: "/").last ?? document[...]
    return String(name.hasSuffix(".gz") ? name.dropLast(3) : name)
  }
}

extension ImportMapping {
  /// Whether a file's name matches a list's pattern.
  package static func isFile(_ name: String, named pattern: String) -> Bool {
    let name = DocumentFrames.name(name)
    return name == pattern || name.matches(shellPattern: pattern)
  }
}
