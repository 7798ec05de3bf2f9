struct Options {
  private(set) var isJSON = false
  private(set) var isQuick = false
  private(set) var only: String?
  private(set) var contender: String?
  private(set) var runs = 5

  private static let quickRuns = 3

  init(_ arguments: [String]) throws {
    guard arguments.first == "import" else {
      throw BenchmarkError.usage("expected \"import\", \"publish\", \"front\" or \"client\"")
    }
    var rest = arguments.dropFirst()
    while let argument = rest.popFirst() {
      switch argument {
      case "--json": isJSON = true
      case "--quick": (isQuick, runs) = (true, Self.quickRuns)
      case "--only": only = rest.popFirst()
      case "--contender": contender = rest.popFirst()
      case "--runs": runs = max(1, rest.popFirst().flatMap(Int.init) ?? runs)
      default: throw BenchmarkError.usage("unknown option \(argument)")
      }
    }
    if !measuresMemory, pairs.isEmpty, let only { _ = try Workloads.named(only) }
  }

  var workloads: [any Workload] {
    if let only { return Workloads.all.filter { $0.name == only } }
    let left = isQuick ? Workloads.onlyFull : Workloads.onlyQuick
    return Workloads.all.filter { !left.contains($0.name) }
  }

  var measuresMemory: Bool { only == nil || only == MemoryWorkload.name }

  var pairs: [PairWorkload] { PairWorkload.all(isQuick: isQuick).filter { only == nil || only == $0.name } }

  var contenders: [Contender] {
    Contender.all.filter {
      contender == nil || $0.name.contains(contender ?? "") || $0.name == Contender.floor.name
    }
  }
}
