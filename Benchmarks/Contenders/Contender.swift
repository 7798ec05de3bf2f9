struct Contender: Sendable {
  typealias Run = @Sendable (any Workload, WorkloadFiles, Phase) throws -> Void

  let name: String
  /// Prepares what the target needs besides its tables; not timed.
  var prepare: (@Sendable (any Workload, WorkloadFiles) throws -> Void)?
  /// The only supported workload.
  var only: String?
  let run: Run

  static let all: [Contender] = [
    floor,
    Alternatives.contender("find or insert, save each") { try $0.saveEach() },
    Alternatives.contender("fetch cache") { try $0.fetchCache() },
    Alternatives.contender("prewarmed") { try $0.prewarmed() },
    Alternatives.contender("JSONDecoder + upsert") { try $0.upsert(DeltaWorkload.decode) },
    Alternatives.contender("JSONSerialization + upsert") { try $0.upsert(DeltaWorkload.parse) },
    Alternatives.contender("json_each") { try $0.jsonEach() },
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
    only == nil || only == workload.name
  }
}
