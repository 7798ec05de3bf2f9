/// The rows that take part in an exchange, in the document's order, and those that come behind them. What is nested in a
/// row comes behind it, unless somebody waits for a value that it has: then it takes part itself.
struct ExchangeParty {
  private(set) var rows: [WaitingRow]
  private(set) var followers: [WaitingRow]
  /// Rows whose values are held by others that will yet be written again, and why they were not written now.
  private(set) var waiting: [Rejection] = []
  private var keysWaiting: Set<RowIdentity> = []
  /// By a nested row, the row that it is nested in.
  private var owners: [ObjectIdentifier: ObjectIdentifier] = [:]
  private var keys: Set<RowIdentity> = []
  private var keysBehind: Set<RowIdentity> = []
  private var hasJoined = false
  /// By table, how many levels lie below its rows at most.
  private var heights: [ObjectIdentifier: Int] = [:]

  init(_ rows: [WaitingRow]) {
    self.rows = rows
    followers = rows.flatMap(\.elements)
    for row in rows { own(row) }
  }

  private mutating func own(_ row: WaitingRow) {
    for element in row.elements { owners[ObjectIdentifier(element)] = ObjectIdentifier(row) }
  }

  /// The rows that are nested in none.
  var roots: [WaitingRow] { rows.filter { owners[ObjectIdentifier($0)] == nil } }

  /// Lets what is nested take part; false where there is no more of it.
  mutating func letFollowersJoin() -> Bool {
    guard !hasJoined, !followers.isEmpty else { return false }
    hasJoined = true
    let roots = rows
    (rows, followers) = ([], [])
    for row in roots { join(row) }
    return true
  }

  /// A row whose key an earlier one has stays behind, with what is nested in it. Returns the levels below the row.
  @discardableResult
  private mutating func join(_ row: WaitingRow) -> Int {
    if keys.contains(row.identity) || row.members.contains(where: { keysBehind.contains($0.identity) }) {
      followers.append(row)
      keysBehind.formUnion(row.tree.map(\.identity))
      return 0
    }
    rows.append(row)
    keys.insert(row.identity)
    own(row)
    let below = row.elements.map { 1 + join($0) }.max() ?? 0
    heights[ObjectIdentifier(row.target), default: 0] = max(height(of: row), below)
    return below
  }

  // MARK: Rows that are refused

  /// The rows that it is nested in.
  func owners(of row: WaitingRow) -> [ObjectIdentifier] {
    var found: [ObjectIdentifier] = []
    var next = owners[ObjectIdentifier(row)]
    while let owner = next {
      found.append(owner)
      next = owners[owner]
    }
    return found
  }

  /// Whether the row is refused, or one that it is nested in.
  func isOut(_ row: WaitingRow, _ refused: Set<ObjectIdentifier>) -> Bool {
    refused.contains(ObjectIdentifier(row)) || owners(of: row).contains(where: refused.contains)
  }

  /// Those of the tables that nest deepest: what is nested in their rows may go with them, and then its values are free
  /// for others.
  func outermost(_ misfits: [Rejection]) -> [Rejection] {
    let height = misfits.map { self.height(of: $0.row) }.max() ?? 0
    let refused = Set(misfits.map { ObjectIdentifier($0.row) })
    return misfits.filter {
      self.height(of: $0.row) == height && !owners(of: $0.row).contains(where: refused.contains)
    }
  }

  private func height(of row: WaitingRow) -> Int { heights[ObjectIdentifier(row.target), default: 0] }

  /// Takes out rows with all that is nested in them; some of them will be tried again.
  mutating func leave(_ misfits: [Rejection], waiting: [Rejection]) {
    let gone = Set(misfits.map { ObjectIdentifier($0.row) })
    rows = rows.filter { !isOut($0, gone) }
    followers = followers.filter { !isOut($0, gone) }
    self.waiting = self.waiting.filter { !isOut($0.row, gone) } + waiting
    keysWaiting = Set(self.waiting.flatMap(\.row.tree).map(\.identity))
  }

  /// Whether the row is, or lies within, one that will be tried again.
  func isWaiting(_ identity: RowIdentity) -> Bool { keysWaiting.contains(identity) }
}
