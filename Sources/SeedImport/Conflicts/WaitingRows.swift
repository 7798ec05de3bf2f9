import SeedDatabase
import SeedFormat

/// The rows that wait, in the document's order. A row waits whose unique value is held by another row: perhaps that
/// row is about to change too. Whatever has the key of one that waits has to wait behind it.
final class WaitingRows {
  private var rows: WaitingStore
  /// By the hash of a row that waits, the hash of its values; ``several`` where rows differ that wait with one key.
  private var versions: [Int: Int] = [:]
  private var targets: [ObjectIdentifier: ImportTarget] = [:]
  private var written = 0
  private let connection: Connection
  private let outcome: WaitingOutcome
  private let mostRows: Int
  private let isCancelled: () -> Bool

  private static let several = 0
  /// Rows between two looks at the cancellation.
  private static let stride = 256

  init(_ connection: Connection, _ policy: ImportPolicy, _ issues: IssueCollector, _ hooks: ImportHooks) {
    self.connection = connection
    outcome = WaitingOutcome(policy, issues)
    (mostRows, isCancelled) = (hooks.mostWaitingRows, hooks.isCancelled)
    rows = WaitingStore(mostRows: mostRows)
  }

  var isEmpty: Bool { rows.count == 0 }

  /// Whether the plan's row would be overwritten by an older one, which waits. One that is the same does no harm:
  /// many rows may reference an object that came first with one that waits.
  func isOlder(than plan: RowPlan, key: [UInt8]) -> Bool {
    let identity = RowIdentity(table: plan.target.table.name, key: key)
    guard let version = versions[identity.hashValue] else { return false }
    let columns = plan.table.columns.indices.filter(plan.slots.contains)
    return version != Self.version(plan.slots, columns.lazy.map { plan.value($0).owned })
  }

  private static func version(_ slots: SlotSet, _ values: some Sequence<SeedValue>) -> Int {
    var hasher = Hasher()
    hasher.combine(slots)
    for value in values { hasher.combine(value) }
    return hasher.finalize() | 1
  }

  func add(_ row: WaitingRow) throws {
    try rows.append(row)
    for row in row.tree {
      let (identity, version) = (row.identity.hashValue, Self.version(row.slots, row.values))
      versions[identity] = versions[identity, default: version] == version ? version : Self.several
      row.target.hasWaitingRows = true
      targets[ObjectIdentifier(row.target)] = row.target
      row.target.recent.forget(row.identity.key)
      // Whatever becomes of it: the document mentions it, so it is not deleted as missing.
      guard let seen = row.target.seen else { continue }
      try LentBytes.lending(try row.key) { try seen.insert($0) }
    }
  }

  /// What rows that wait say of the rows that belong to them.
  func forEachClaim(_ body: (ParentClaim) throws -> Void) throws {
    try rows.forEach { row in for claim in row.tree.flatMap(\.claims) { try body(claim) } }
  }

  /// Writes the rows that wait: each where its values are free by now, then all that want each other's.
  func resolve() throws {
    let (waiting, known) = (rows, versions)
    (rows, versions) = (WaitingStore(mostRows: mostRows), [:])
    for target in targets.values { target.hasWaitingRows = false }
    targets = [:]
    outcome.tellsAtOnce = waiting.isSpilled
    var remaining = try settleTriggering(try thinned(waiting, known).all())
    while !remaining.isEmpty { remaining = try exchange(remaining) }
    try outcome.tell()
  }

  /// Passes as long as half of the rows find their places: beyond that, an exchange costs less than asking again. It
  /// needs all rows in memory, though: of those that are too many, each pass also rejects the ones without hope.
  private func thinned(_ rows: WaitingStore, _ known: [Int: Int]) throws -> WaitingStore {
    var (rows, before) = (rows, Int.max)
    var waits: (Int) -> Bool = { known[$0] != nil }
    while rows.count > 0, rows.count <= before / 2 {
      before = rows.count
      var queue = WaitingQueue(mostRows: mostRows)
      let waiting = waits
      let isHopeless: Judgement = rows.isSpilled ? { try self.isHopeless($0, waiting) } : { _ in nil }
      try rows.forEach { row in
        if queue.count.isMultiple(of: Self.stride), isCancelled() { throw CancellationError() }
        try retry(row, &queue, isHopeless)
      }
      let identities = queue.identities
      (rows, waits) = (queue.rows, { identities.contains($0) })
    }
    return rows
  }

  /// Tells what to reject a row for whose value is held by a row that does not wait, and so stays.
  private typealias Judgement = (WaitingRow) throws -> RejectedRow?

  private func isHopeless(_ row: WaitingRow, _ waits: (Int) -> Bool) throws -> RejectedRow? {
    let conflict = try row.conflict()
    guard let holder = conflict.holder else { return nil }
    return waits(try row.target.identity(of: holder).hashValue) ? nil : conflict.refusal
  }

  private func pass(_ rows: [WaitingRow]) throws -> [WaitingRow] {
    var queue = WaitingQueue(mostRows: .max)
    for row in rows { try retry(row, &queue) { _ in nil } }
    return try queue.rows.all()
  }

  private func retry(_ row: WaitingRow, _ queue: inout WaitingQueue, _ isHopeless: Judgement) throws {
    guard !queue.isAhead(of: row) else { return try queue.append(row) }
    switch try row.attempt(connection) {
    case .tooEarly(let member):
      guard let refusal = try isHopeless(member) else { return try queue.append(row) }
      try outcome.reject(Rejection(row: row, member: member, refusal: refusal))
    case .refused(let rejection): try outcome.reject(rejection)
    case .written(let outcomes):
      written += 1
      try outcome.note(row, outcomes)
      for element in row.elements { try retry(element, &queue, isHopeless) }
    }
  }

  /// Where triggers run, no row is taken away for a while, for they would see it go: rows move one by one, as far as
  /// they can. Returns the other rows.
  private func settleTriggering(_ rows: [WaitingRow]) throws -> [WaitingRow] {
    var (triggering, others): ([WaitingRow], [WaitingRow]) = ([], [])
    for row in rows {
      if row.tree.contains(where: \.target.runsTriggers) {
        triggering.append(row)
      } else {
        others.append(row)
      }
    }
    var before = -1
    while !triggering.isEmpty, written != before {
      before = written
      triggering = try pass(triggering)
    }
    for row in triggering { try decide(row) }
    return others
  }

  /// Tries a row for the last time; it may have waited behind one that was refused.
  private func decide(_ row: WaitingRow) throws {
    switch try row.attempt(connection) {
    case .tooEarly(let member):
      try outcome.reject(Rejection(row: row, member: member, refusal: try member.conflict().refusal))
    case .refused(let rejection): try outcome.reject(rejection)
    case .written(let outcomes):
      try outcome.note(row, outcomes)
      for element in row.elements { try decide(element) }
    }
  }

  /// Lets rows change places; returns those that have to follow.
  private func exchange(_ rows: [WaitingRow]) throws -> [WaitingRow] {
    var (first, behind) = (ExchangeQueue(), WaitingQueue(mostRows: .max))
    for row in rows {
      if behind.isAhead(of: row) || first.isAhead(of: row) {
        try behind.append(row)
      } else {
        first.append(row)
      }
    }
    var exchange = RowExchange(connection, outcome)
    let others = behind.identities
    let following = try exchange.run(first.rows) { others.contains($0.hashValue) }
    return try pass(following + behind.rows.all())
  }
}

private struct WaitingQueue {
  let rows: WaitingStore
  private(set) var identities: Set<Int> = []

  init(mostRows: Int) { rows = WaitingStore(mostRows: mostRows) }

  var count: Int { rows.count }

  func isAhead(of row: WaitingRow) -> Bool {
    row.tree.contains { identities.contains($0.identity.hashValue) }
  }

  mutating func append(_ row: WaitingRow) throws {
    try rows.append(row)
    for row in row.tree { identities.insert(row.identity.hashValue) }
  }
}

/// Rows that may be exchanged together, each of them once.
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
