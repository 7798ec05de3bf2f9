import SeedFormat

/// 57,000 objects in pages of 100; the last page is empty.
struct PagesWorkload: Workload {
  let name = "pages"
  let title = "AFIncrementalStore: 57,000 objects over pages of 100"
  let rowCount = 57_000
  private static let pageSize = 100

  let tables = [
    TableShape(
      name: "articles",
      columns: [
        .integer("id"), .text("title"), .text("body"), .text("author"), .integer("views"), .real("rank"),
      ])
  ]

  func generate(_ writer: DatasetWriter, _ phase: Phase) throws {
    var generator = DataGenerator(seed: 57)
    for first in stride(from: 1, through: rowCount, by: Self.pageSize) {
      try writer.beginDocument("[")
      for id in first..<(first + Self.pageSize) {
        let values: [SeedValue] = [
          .integer(Int64(id)), .text(generator.text(4)), .text(generator.text(20)), .text(generator.word()),
          generator.integer(100_000), generator.real(100),
        ]
        try writer.object(0, values)
      }
      try writer.endDocument("]")
    }
    try writer.beginDocument("[")
    try writer.endDocument("]")
  }
}
