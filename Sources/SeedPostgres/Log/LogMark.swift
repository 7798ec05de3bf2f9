import SeedFormat
import SeedPublisher

/// The state of one log in a step.
struct LogMark: Hashable {
  let identity: String
  let columns: String
  let files: String
  /// The newest entry; nil for an empty log.
  let witness: Witness?

  struct Witness: Hashable {
    let transaction: UInt64
    let time: String
  }

  init(_ table: WatchedTable, witness: Witness?) {
    (identity, columns, files) = (table.identity, table.columns, table.files)
    self.witness = witness
  }

  init?(_ json: JSONValue?) {
    guard let parts = json?.elements, parts.count >= 3, let identity = parts[0].string,
      let columns = parts[1].string,
      let files = parts[2].string
    else { return nil }
    (self.identity, self.columns, self.files) = (identity, columns, files)
    guard parts.count == 5, let transaction = parts[3].string.flatMap({ UInt64($0) }),
      let time = parts[4].string
    else {
      witness = nil
      return
    }
    witness = Witness(transaction: transaction, time: time)
  }

  var json: JSONValue {
    JSONValue(strings: [identity, columns, files] + (witness.map { ["\($0.transaction)", $0.time] } ?? []))
  }

  /// Why the log is incomplete since `snapshot`.
  func doubt(of table: WatchedTable, since snapshot: LogSnapshot) -> LogDoubt? {
    if identity != table.identity { return .otherTriggers }
    if columns != table.columns { return .otherSchema }
    // Another publisher may have pruned entries that this one needs.
    return table.pruned > snapshot.floor ? .pruned : nil
  }
}
