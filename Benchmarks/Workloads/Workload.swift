import SeedImport

/// Documents, and the same rows.
protocol Workload: Sendable {
  var name: String { get }
  var title: String { get }
  var tables: [TableShape] { get }
  var policy: Policy { get }
  var rowCount: Int { get }
  func generate(_ writer: DatasetWriter, _ phase: Phase) throws
  var mapping: ImportMapping { get }
}

extension Workload {
  var policy: Policy { .overwrite }
}

enum Workloads {
  static let all: [any Workload] = [
    StreamWorkload(name: "stream", scale: 1), StreamWorkload(name: "stream-double", scale: 2),
    PeopleWorkload(name: "people", persons: 3_000), PeopleWorkload(name: "people-300k", persons: 300_000),
    TransitWorkload(name: "transit", stopTimes: 3_000_000),
    TransitWorkload(name: "transit-quick", stopTimes: 300_000),
    PagesWorkload(), FirebaseWorkload(policy: .overwrite), FirebaseWorkload(policy: .keep),
    FirebaseWorkload(policy: .fail), DeltaWorkload(),
  ]

  /// Workloads that a quick run skips, and their replacements.
  static let onlyFull: Set<String> = ["people-300k", "transit"]
  static let onlyQuick: Set<String> = ["transit-quick"]

  static func named(_ name: String) throws -> any Workload {
    guard let workload = all.first(where: { $0.name == name }) else {
      throw BenchmarkError.usage("there is no workload \"\(name)\"")
    }
    return workload
  }
}
