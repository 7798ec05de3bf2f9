import SeedFormat

/// Makes the short form of a long row: null in place of what its plan's relations find one by one, and of what nobody
/// reads.
struct OutlineMaker: ~Copyable {
  private let row: LongRow
  private let plan: RowPlan
  private let kept: Set<String>
  private let pieces: LongRowPieces
  private var scanner: JSONScanner
  private var tape = JSONTape(learnsShapes: false)
  private var json: [UInt8] = []
  private var parts: [RowOutline.Part] = []
  private var places: [(short: Int, document: Int)] = []

  /// Of the row, or the nested row, in `range`; the members in `kept` stay as they are.
  static func outline(
    _ row: LongRow, _ range: Range<Int>, _ plan: RowPlan, keeping kept: Set<String> = []
  ) throws -> RowOutline {
    var maker = try OutlineMaker(row, range, plan, kept)
    guard try maker.peek() == UInt8(ascii: "{"), plan.root.columns.isEmpty else {
      return RowOutline(json: try row.bytes(range), places: [(0, range.lowerBound)])
    }
    _ = try maker.next()
    try maker.object(plan.root)
    return RowOutline(json: maker.json, parts: maker.parts, places: maker.places)
  }

  private init(_ row: LongRow, _ range: Range<Int>, _ plan: RowPlan, _ kept: Set<String>) throws {
    (self.row, self.plan, self.kept) = (row, plan, kept)
    scanner = JSONScanner(at: range.lowerBound)
    scanner.keepsBadTexts = true
    pieces = try row.pieces(range)
  }

  /// The members of an object that has begun.
  private mutating func object(_ node: MemberNode) throws {
    json.append(UInt8(ascii: "{"))
    var isFirst = true
    while case .name(let name) = try next() {
      if !isFirst { json.append(UInt8(ascii: ",")) }
      isFirst = false
      JSONWriter.append(name, to: &json)
      json.append(UInt8(ascii: ":"))
      let isKept = node === plan.root && kept.contains(name)
      if isKept { try keep(skip()) } else { try value(node.child(Array(name.utf8))) }
    }
    json.append(UInt8(ascii: "}"))
  }

  private mutating func value(_ node: MemberNode?) throws {
    let first = try peek()
    if let node, first == UInt8(ascii: "{"), node.relation == nil, node.columns.isEmpty, node.hasParts {
      places.append((json.count, scanner.offset))
      _ = try next()
      return try object(node)
    }
    let range = try skip()
    if let part = part(node, first) {
      parts.append(.init(relation: part, range: range))
    } else if node != nil {
      return try keep(range)
    }
    json += "null".utf8
  }

  /// Takes a value over as it is.
  private mutating func keep(_ range: Range<Int>) throws {
    places.append((json.count, range.lowerBound))
    json += try row.bytes(range)
  }

  /// The relation whose rows are read one by one from a value that begins like this.
  private func part(_ node: MemberNode?, _ first: UInt8?) -> Int? {
    guard let node, let number = node.relation, node.columns.isEmpty, !node.hasParts,
      !plan.relations[number].isObject
    else { return nil }
    let isArray = plan.relations[number].layout == .array
    return first == UInt8(ascii: isArray ? "[" : "{") ? number : nil
  }

  // MARK: Tokens

  private mutating func next() throws -> JSONToken {
    while true {
      let token = try scanner.nextWithinValue()
      guard token == .starved else { return token }
      try pieces.feed(&scanner)
    }
  }

  private mutating func peek() throws -> UInt8? {
    while true {
      if let byte = scanner.peek() { return byte }
      guard !scanner.isComplete else { return nil }
      try pieces.feed(&scanner)
    }
  }

  /// Passes the value that is next.
  private mutating func skip() throws -> Range<Int> {
    _ = try peek()
    let start = scanner.offset
    var passage = JSONPassage()
    while try !passage.goOn(&scanner, &tape) { try pieces.feed(&scanner) }
    return start..<scanner.offset
  }
}
