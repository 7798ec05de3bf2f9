import SeedClient
import SeedFormat
import SeedTrust

extension UpdatePlan {
  /// What would be done, why, and what it takes.
  var line: String {
    guard action != .upToDate else { return "version \(to) is the newest" }
    let start = from.map { "version \($0) → \(to)" } ?? "version \(to)"
    return "\(start), \(bytes) bytes to download (\(words)): \(files.joined(separator: ", "))"
  }

  private var words: String {
    switch reason {
    case .upToDate: "the data is the newest"
    case .firstDownload: "there is no data yet"
    case .newEpoch: "the publisher began its history anew"
    case .newSchema: "the newest data has another schema"
    case .otherRows: "the rows here are not those that were published"
    case .deltasAreSmaller: "the newest snapshot has \(snapshotBytes ?? 0)"
    case .snapshotIsSmaller: "the deltas have \(deltaBytes ?? 0)"
    case .onlyDeltas: "no snapshot leads there"
    case .onlySnapshot: "no deltas lead there"
    case .deltasFailed: "the deltas do not fit the data here"
    }
  }

  /// The same for a program.
  func json(_ series: Series, _ lifecycle: Lifecycle) -> JSONValue {
    func number(_ value: Int?) -> JSONValue { value.map { .integer(Int64($0)) } ?? .null }
    return [
      "dataset": .string(series.dataset.text), "series": .integer(Int64(series.major)),
      "action": .string(action.rawValue), "reason": .string(reason.rawValue),
      "from": number(from?.number), "to": number(to.number), "files": .array(files.map { .string($0) }),
      "bytes": number(bytes), "deltaBytes": number(deltaBytes), "snapshotBytes": number(snapshotBytes),
      "lifecycle": lifecycle.json,
    ]
  }
}
