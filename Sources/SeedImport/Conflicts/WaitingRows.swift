import SeedDatabase
import SeedFormat

/// The rows that wait, in the document's order. A row waits whose unique value is held by another row: perhaps that
/// row is about to change too. Whatever has the key of one that waits has to wait behind it.
final class WaitingRows {
  private var rows: [WaitingRow] = []
  /// The row that waits with a key; nothing where several do that differ.
  private var versions: [RowIdentity: WaitingRow?] = [:]
  private let connection: Connection
  private let outcome: WaitingOutcome

  init(_ connection: Connection, _ policy: ImportPolicy, _ issues: IssueCollector) {
    self.connection = connection
    outcome = WaitingOutcome(policy, issues)
  }

  var isEmpty: Bool { rows.isEmpty }

  /// Whether the plan's row would be overwritten by an older one, which waits. One that is the same does no harm:
  /// many rows may reference an object that came first with one that waits.
  func isOlder(than plan: RowPlan, key: [UInt8]) -> Bool {
    guard let version = versions[RowIdentity(table: plan.target.table.name, key: key)] else { return false }
    return version.map { !$0.holds(plan) } ?? true
  }

  func add(_ row: WaitingRow) throws {
    rows.append(row)
    for row in row.tree {
      let isOnly = versions[row.identity].map { $0?.isSame(as: row) ?? false } ?? true
      versions.updateValue(isOnly ? row : nil, forKey: row.identity)
      row.target.hasWaitingRows = true
      row.target.recent.forget(row.identity.key)
      // Whatever becomes of it: the document mentions it, so it is not deleted as missing.
      guard let seen = row.target.seen else { continue }
      try LentBytes.lending(try row.key) { try seen.insert($0) }
    }
  }

  /// Writes the rows that wait: each where its values are free by now, then all that want each other's.
  func resolve() throws {
    var remaining = rows
    (rows, versions) = ([], [:])
    for row in remaining { for row in row.tree { row.target.hasWaitingRows = false } }
    var before = Int.max
    // As long as half of them find their places: beyond that, an exchange costs less than asking again.
    while !remaining.isEmpty, remaining.count <= before / 2 {
      before = remaining.count
      remaining = try pass(remaining)
    }
    while !remaining.isEmpty { remaining = try exchange(remaining) }
    try outcome.tell()
  }

  private func pass(_ rows: [WaitingRow]) throws -> [WaitingRow] {
    var queue = WaitingQueue()
    for row in rows { try retry(row, &queue) }
    return queue.rows
  }

  private func retry(_ row: WaitingRow, _ queue: inout WaitingQueue) throws {
    guard !queue.isAhead(of: row) else { return queue.append(row) }
    switch try row.attempt(connection) {
    case .tooEarly: queue.append(row)
    case .refused(let rejection): outcome.reject(rejection)
    case .written(let outcomes):
      try outcome.note(row, outcomes)
      for element in row.elements { try retry(element, &queue) }
    }
  }

  /// Lets rows change places; returns those that have to follow.
  private func exchange(_ rows: [WaitingRow]) throws -> [WaitingRow] {
    var (first, behind) = (ExchangeQueue(), WaitingQueue())
    for row in rows {
      if behind.isAhead(of: row) || first.isAhead(of: row) { behind.append(row) } else { first.append(row) }
    }
    var exchange = RowExchange(connection, outcome)
    let written = try exchange.run(first.rows)
    return try pass(written.flatMap(\.elements) + behind.rows)
  }
}

private struct WaitingQueue {
  private(set) var rows: [WaitingRow] = []
  private var identities: Set<RowIdentity> = []

  func isAhead(of row: WaitingRow) -> Bool { row.tree.contains { identities.contains($0.identity) } }

  mutating func append(_ row: WaitingRow) {
    rows.append(row)
    for row in row.tree { identities.insert(row.identity) }
  }
}

/// Rows that may be exchanged together, each of them once; their elements come behind all of them.
private struct ExchangeQueue {
  private(set) var rows: [WaitingRow] = []
  private var own: Set<RowIdentity> = []
  private var followers: Set<RowIdentity> = []

  func isAhead(of row: WaitingRow) -> Bool {
    own.contains(row.identity) || row.members.contains { followers.contains($0.identity) }
  }

  mutating func append(_ row: WaitingRow) {
    rows.append(row)
    own.insert(row.identity)
    for row in row.followers { followers.insert(row.identity) }
  }
}
