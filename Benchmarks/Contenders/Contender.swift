struct Contender: Sendable {
  typealias Run = @Sendable (any Workload, WorkloadFiles, Phase) throws -> Void

  let name: String
  /// Prepares what the target needs besides its tables; not timed.
  var prepare: (@Sendable (any Workload, WorkloadFiles) throws -> Void)?
  /// Rows above which it is skipped, because it keeps an object per row or takes minutes.
  var rowLimit = Int.max
  /// The only supported workload.
  var only: String?
  let run: Run

  private static let objectLimit = 500_000

  static let all: [Contender] = [
    floor,
    Contender(name: "find or insert, save each", rowLimit: objectLimit, run: PerObject.run),
    Contender(name: "fetch cache", rowLimit: objectLimit, run: FetchCache.run),
    Contender(name: "prewarmed", rowLimit: objectLimit, run: Prewarmed.run),
    Contender(name: "JSONDecoder + upsert", rowLimit: objectLimit * 2, run: PreparedUpsert.decoding),
    Contender(name: "JSONSerialization + upsert", rowLimit: objectLimit, run: PreparedUpsert.parsing),
    Contender(name: "json_each", run: JSONEach.run),
    Contender(name: "ours: import", run: OwnImport.run),
    Contender(name: "ours: rows", only: "delta", run: OwnRows.run),
    Contender(name: "ours: delta", prepare: OwnDelta.prepare, only: "delta", run: OwnDelta.run),
  ]

  static let floor = Contender(name: "floor: attached file", run: Floor.run)

  static func named(_ name: String) throws -> Contender {
    guard let contender = all.first(where: { $0.name == name }) else {
      throw BenchmarkError.usage("there is no contender \"\(name)\"")
    }
    return contender
  }

  func takes(_ workload: any Workload) -> Bool {
    (only == nil || only == workload.name) && workload.rowCount <= rowLimit
  }
}
