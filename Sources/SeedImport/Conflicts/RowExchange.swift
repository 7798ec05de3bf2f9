import SeedDatabase
import SeedFormat

/// Lets rows change places: all that they replace go, then all of them come. Where one finds its value with a row that
/// stays, it is refused and its own old row stays too, which others may have counted on: so it begins anew without it,
/// until all that is left fits.
struct RowExchange {
  private let connection: Connection
  private let outcome: WaitingOutcome

  /// What the rows at hand replace, by its identity; it is away.
  private var old: [RowIdentity: [SeedValue]] = [:]
  private var present: Set<RowIdentity> = []

  /// Beginnings, and looks at all rows within one; a few are enough but for values that many want in turn.
  private static let mostRounds = 100

  init(_ connection: Connection, _ outcome: WaitingOutcome) {
    self.connection = connection
    self.outcome = outcome
  }

  /// Returns the rows that come behind those that were written, and before them those that wait on, for what `moves`
  /// says will yet be written again; the others were rejected. No two may have the same key.
  mutating func run(_ rows: [WaitingRow], moves: (RowIdentity) -> Bool) throws -> [WaitingRow] {
    var (party, hasRejected) = (ExchangeParty(rows), false)
    for _ in 0..<Self.mostRounds {
      if try placeAll(party.rows) {
        guard hasRejected || !party.rows.isEmpty else { break }
        return party.waiting.map(\.row) + party.followers
      }
      if party.letFollowersJoin() { continue }
      let misfits = try findMisfits(party)
      if misfits.isEmpty { break }
      let isWaiting = misfits.map { $0.holder.map { moves($0) || party.isWaiting($0) } ?? false }
      for (misfit, waits) in zip(misfits, isWaiting) where !waits { try outcome.reject(misfit) }
      hasRejected = hasRejected || isWaiting.contains(false)
      party.leave(misfits, waiting: zip(misfits, isWaiting).filter(\.1).map(\.0))
    }
    try rejectAll(party)
    return []
  }

  /// Rows that wait for each other would do so for ever.
  private func rejectAll(_ party: ExchangeParty) throws {
    for rejection in party.waiting { try outcome.reject(rejection) }
    for row in party.roots { try outcome.reject(Rejection(row: row, member: row, refusal: .taken)) }
  }

  /// False where not all of them fit: then nothing has changed.
  private mutating func placeAll(_ rows: [WaitingRow]) throws -> Bool {
    let savepoint = try RowSavepoint(connection, rows.flatMap(\.members).map(\.target))
    try lift(rows)
    var outcomes: [[RowOutcome]] = []
    do {
      for row in rows { outcomes.append(try place(row)) }
    } catch is MisfitFound {
      try savepoint.takeBack()
      return false
    }
    try savepoint.keep()
    for (row, outcomes) in zip(rows, outcomes) { try outcome.note(row, outcomes) }
    return true
  }

  /// The rows that find their values with rows that stay; if there are none, those that come too late for a value
  /// that several want.
  private mutating func findMisfits(_ party: ExchangeParty) throws -> [Rejection] {
    let savepoint = try RowSavepoint(connection, party.rows.flatMap(\.members).map(\.target))
    let areAtHome = try party.rows.map(isAtHome)
    try lift(party.rows)
    var misfits = try findHopeless(party)
    if misfits.isEmpty { misfits = try findLate(party, areAtHome) }
    try savepoint.takeBack()
    return party.outermost(misfits)
  }

  /// The rows that find their values with rows that stay, among which they are themselves from then on, with what is
  /// nested in them. Looking in both directions finds a chain of them at once, whichever way it runs.
  private mutating func findHopeless(_ party: ExchangeParty) throws -> [Rejection] {
    var (misfits, refused, rest) = ([Rejection](), Set<ObjectIdentifier>(), party.rows)
    for _ in 0..<Self.mostRounds {
      var hopeful: [WaitingRow] = []
      for row in rest {
        let isOut = party.isOut(row, refused)
        let misfit = isOut ? nil : try misfit(row, isKept: false)
        guard isOut || misfit != nil else {
          hopeful.append(row)
          continue
        }
        if let misfit { misfits.append(misfit) }
        refused.insert(ObjectIdentifier(row))
        try putBack(row)
      }
      if hopeful.count == rest.count { break }
      rest = hopeful.reversed()
    }
    return misfits
  }

  /// The rows that come too late for a value that several want, where who has it comes first.
  private mutating func findLate(_ party: ExchangeParty, _ areAtHome: [Bool]) throws -> [Rejection] {
    var (misfits, refused) = ([Rejection](), Set<ObjectIdentifier>())
    let rows = zip(party.rows, areAtHome)
    for (row, _) in rows.filter(\.1) + rows.filter({ !$0.1 }) where !party.isOut(row, refused) {
      guard let misfit = try misfit(row, isKept: true) else { continue }
      misfits.append(misfit)
      refused.insert(ObjectIdentifier(row))
    }
    return misfits
  }

  /// Whether the row could be written with all others where they are: it waits for their sake only.
  private func isAtHome(_ row: WaitingRow) throws -> Bool {
    if case .written = try row.attempt(connection, isKept: false) { true } else { false }
  }

  private mutating func misfit(_ row: WaitingRow, isKept: Bool) throws -> Rejection? {
    let found: MisfitFound
    let savepoint = try RowSavepoint(connection, row.members.map(\.target))
    let absent = row.members.map(\.identity).filter { !present.contains($0) }
    do {
      _ = try place(row)
      if isKept {
        try savepoint.keep()
        return nil
      }
      found = MisfitFound()
    } catch let misfit as MisfitFound {
      found = misfit
    }
    try savepoint.takeBack()
    present.subtract(absent)
    guard let refusal = found.refusal else { return nil }
    let member = row.members[found.member]
    // Asked when the row itself is away again: who has the value is then none of its own members. What an earlier row
    // of its key wrote meanwhile is not known here.
    let old = present.contains(member.identity) ? nil : old[member.identity]
    let conflict = try member.conflict(refusal, over: old)
    return Rejection(
      row: row, member: member, refusal: conflict.refusal,
      holder: try conflict.holder.map { try member.target.identity(of: $0) })
  }

  private mutating func lift(_ rows: [WaitingRow]) throws {
    (old, present) = ([:], [])
    for member in rows.flatMap(\.members) {
      old[member.identity] =
        try LentBytes.lending(member.values) { try member.writer.lift($0) } ?? old[member.identity]
    }
  }

  private mutating func putBack(_ row: WaitingRow) throws {
    for member in row.members where present.insert(member.identity).inserted {
      if let old = old[member.identity] { try member.writer.putBack(old) }
    }
  }

  private mutating func place(_ row: WaitingRow) throws -> [RowOutcome] {
    try row.members.enumerated().map { number, member in
      do {
        let outcome = try rejecting(member.target.table) { try place(single: member) }
        present.insert(member.identity)
        return outcome
      } catch let refusal as RejectedRow {
        throw MisfitFound(member: number, refusal: refusal)
      }
    }
  }

  private func place(single row: WaitingRow) throws -> RowOutcome {
    if present.contains(row.identity) {
      let outcome = try row.upsert()
      guard case .taken = outcome else { return outcome }
      throw RejectedRow(taken: try row.writer.takenMessage, row.target.table)
    }
    let writer = try row.writer
    return try LentBytes.lending(row.values) { try writer.place($0, over: old[row.identity]) }
  }
}

extension RejectedRow {
  static let taken = RejectedRow(.unique, "another row holds a value that must be unique")
}

private struct MisfitFound: Error {
  var member = 0
  var refusal: RejectedRow?
}

/// A savepoint with the counts of the tables that are written in it.
struct RowSavepoint {
  private let connection: Connection
  private let marks: [(target: ImportTarget, mark: ImportTarget.Mark)]

  init(_ connection: Connection, _ targets: [ImportTarget]) throws {
    self.connection = connection
    var known: Set<ObjectIdentifier> = []
    marks = targets.filter { known.insert(ObjectIdentifier($0)).inserted }.map { ($0, $0.mark) }
    try connection.cached("SAVEPOINT seedbank_rows").run()
  }

  func keep() throws { try connection.cached("RELEASE seedbank_rows").run() }

  func takeBack() throws {
    try connection.cached("ROLLBACK TO seedbank_rows").run()
    try keep()
    for mark in marks { mark.target.restore(mark.mark) }
  }
}
