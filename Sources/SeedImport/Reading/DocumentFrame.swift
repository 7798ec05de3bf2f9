import SeedSystem

/// The objects that contain a document's lists, as a tree of member names.
struct DocumentFrame {
  struct Node {
    let path: MemberPath
    /// Keyed by bytes, because Swift strings are equal across Unicode normal forms, but member names are not.
    var children: [[UInt8]: Int] = [:]
    /// The lists at this node, by their indexes in the mapping.
    var lists: [Int] = []
    var layout: ImportMapping.Layout?
  }

  static let root = 0

  private(set) var nodes = [Node(path: "$")]
  /// Nodes that a document must have.
  private(set) var needed: [Int] = []
  /// Nodes with a list that has no conditions, and so takes all remaining rows.
  private var openNodes: Set<Int> = []
  /// Whether the document consists only of rows, one after another.
  let isLines: Bool
  let csv: CSVFormat?
  /// The first list's index in the mapping.
  let first: Int

  /// Creates the frame of one kind of document from its lists, at least one, and their indexes in the mapping.
  init(_ numbered: [(number: Int, list: ImportMapping.List)]) throws {
    first = numbered[0].number
    csv = numbered.lazy.compactMap(\.list.csv).first
    isLines = csv != nil || numbered.contains { $0.list.layout == .lines }
    guard !isLines || numbered.allSatisfy({ $0.list.rows.steps.isEmpty }) else {
      throw ImportFailure(
        .mapping, "each line or CSV record is a row: the mapping's lists must have no path")
    }
    if let csv, CSVFormat.byte(csv.delimiter) == nil {
      throw ImportFailure(
        .mapping,
        "a CSV delimiter is one ASCII character other than a quotation mark or a line end, not \"\(csv.delimiter)\""
      )
    }
    for (number, list) in numbered { try add(list, number) }
  }

  private mutating func add(_ list: ImportMapping.List, _ number: Int) throws {
    guard let names = list.rows.names else {
      throw ImportFailure(
        .mapping,
        "the list path \(list.rows) leads through an array's element: it may contain only names of members")
    }
    var node = Self.root
    for name in names {
      guard nodes[node].lists.isEmpty else { throw overlap(list, nodes[node].path) }
      node = child(name, of: node) ?? makeChild(name, of: node)
    }
    guard nodes[node].children.isEmpty else { throw overlap(list, nodes[node].path) }
    if nodes[node].lists.isEmpty { nodes[node].layout = list.layout }
    let isOpen = list.conditions.isEmpty
    guard nodes[node].layout == list.layout, !isOpen || openNodes.insert(node).inserted else {
      throw ImportFailure(
        .mapping,
        "two lists are at \(list.rows): give them the same layout, and conditions that distinguish their rows"
      )
    }
    nodes[node].lists.append(number)
    if !list.isOptional { needed.append(node) }
  }

  private mutating func makeChild(_ name: String, of node: Int) -> Int {
    nodes.append(Node(path: MemberPath(steps: nodes[node].path.steps + [.member(name)])))
    nodes[node].children[Array(name.utf8)] = nodes.count - 1
    return nodes.count - 1
  }

  private func overlap(_ list: ImportMapping.List, _ other: MemberPath) -> ImportFailure {
    ImportFailure(
      .mapping,
      "the rows at \(list.rows) overlap with other rows at \(other): map a list inside a row as a relation of that row"
    )
  }

  func child(_ name: String, of node: Int) -> Int? { nodes[node].children[Array(name.utf8)] }
}

extension ImportMapping.List {
  package var csv: CSVFormat? { if case .csv(let format) = layout { format } else { nil } }
}

/// Finds the lists of a document by its name.
struct DocumentFrames {
  private let lists: [ImportMapping.List]
  private var met: Set<Int> = []

  /// Builds the frame of each document once, so that an invalid mapping fails before the first row.
  init(_ mapping: ImportMapping) throws {
    guard !mapping.lists.isEmpty else { throw ImportFailure(.mapping, "the mapping has no list") }
    lists = mapping.lists
    for file in Set(lists.map(\.file)) { _ = try frame(lists.indices.filter { lists[$0].file == file }) }
  }

  /// The frame of a document; lists that name it take precedence over lists for all documents.
  mutating func frame(of document: String) throws -> DocumentFrame {
    let named = lists.indices.filter {
      lists[$0].file.map { ImportMapping.isFile(document, named: $0) } ?? false
    }
    let numbers = named.isEmpty ? lists.indices.filter { lists[$0].file == nil } : named
    guard !numbers.isEmpty else {
      let files = lists.compactMap(\.file).joined(separator: ", ")
      throw ImportFailure(.document, "\(document) is not one of the mapping's files (\(files))")
    }
    met.formUnion(numbers)
    return try frame(numbers)
  }

  func firstFrame() throws -> DocumentFrame {
    try frame(lists.indices.filter { lists[$0].file == lists[0].file })
  }

  private func frame(_ numbers: [Int]) throws -> DocumentFrame {
    try DocumentFrame(numbers.map { ($0, lists[$0]) })
  }

  func checkAllCame() throws {
    for (number, list) in lists.enumerated() where !list.isOptional && !met.contains(number) {
      guard let file = list.file else { continue }
      throw ImportFailure(
        .document,
        "the import lacks the document \(file) with the rows of the table \"\(list.table.table)\": import it too, or "
          + "make the list optional in the mapping")
    }
  }
}

extension ImportMapping {
  package static func isFile(_ path: String, named pattern: String) -> Bool {
    let file = path.split(separator: "/").last ?? path[...]
    let name = String(file.hasSuffix(".gz") ? file.dropLast(3) : file)
    return name == pattern || name.matches(shellPattern: pattern)
  }
}
