import Foundation
import SeedImport

extension PairWorkload {
  /// All pairs; a quick run has fewer rows of CSV.
  static func all(isQuick: Bool) -> [PairWorkload] {
    [csv(rows: isQuick ? 300_000 : 1_000_000), sync, pages]
  }

  /// For a child process, which only reads the documents.
  static func named(_ name: String) -> PairWorkload? { all(isQuick: true).first { $0.name == name } }

  private static func csv(rows: Int) -> PairWorkload {
    PairWorkload(
      name: "csv", title: "CSV beside the same rows as lines of JSON", tables: [CSVDocuments.table],
      baseline: Side(name: "lines", mapping: ImportMapping(CSVDocuments.mapping, layout: .lines)) {
        [CSVDocuments.lines(in: $0)]
      },
      contender: Side(name: "csv", mapping: ImportMapping(CSVDocuments.mapping, layout: .csv())) {
        [CSVDocuments.csv(in: $0)]
      },
      write: { try CSVDocuments.write(rows, to: $0) })
  }

  /// The document marks each existing phone as still present.
  private static let sync: PairWorkload = {
    let people = PeopleWorkload(name: "sync", persons: 60_000, phonesEach: 3)
    let documents = { @Sendable (folder: String) in try WorkloadFiles(folder, "").documents(.cold) }
    return PairWorkload(
      name: people.name,
      title: "60,000 persons and 180,000 phones unchanged: replaceForParent beside merge",
      tables: people.tables,
      baseline: Side(name: "merge", mapping: people.mapping, documents: documents),
      contender: Side(
        name: "replaceForParent", mapping: people.mapping(.replaceForParent), documents: documents),
      phases: [.hot], write: { try written(people, $0) })
  }()

  private static let pages: PairWorkload = {
    let pages = PagesWorkload()
    return PairWorkload(
      name: pages.name, title: "57,000 objects in 570 pages beside one file of them", tables: pages.tables,
      baseline: Side(name: "one", mapping: pages.mapping) { ["\($0)/one.json"] },
      contender: Side(name: "pages", mapping: pages.mapping) { try WorkloadFiles($0, "").documents(.cold) },
      write: { folder in
        try written(pages, folder)
        try joinPages(folder)
      })
  }()

  private static func written(_ workload: any Workload, _ folder: String) throws {
    try DatasetWriter(workload, WorkloadFiles(folder, ""), .cold).write(workload)
  }

  /// Joins all pages' objects into one array.
  private static func joinPages(_ folder: String) throws {
    let pages = try WorkloadFiles(folder, "").documents(.cold).map {
      try Data(contentsOf: URL(fileURLWithPath: $0)).dropFirst().dropLast()
    }
    let objects = pages.filter { !$0.isEmpty }.joined(separator: Data(",".utf8))
    try (Data("[".utf8) + objects + Data("]".utf8)).write(to: URL(fileURLWithPath: "\(folder)/one.json"))
  }
}
