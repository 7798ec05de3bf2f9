import SeedFormat

/// A dictionary of objects by id. The hot document differs from the cold one in every tenth object.
struct FirebaseWorkload: Workload {
  let policy: Policy
  var name: String { "firebase-\(policy.rawValue)" }
  var title: String { "Lambda School: 60,000 objects keyed by id, policy \(policy.rawValue)" }
  let rowCount = 60_000
  private static let changedEvery = 10

  let tables = [
    TableShape(name: "tasks", columns: [.text("id"), .text("name"), .text("notes"), .integer("priority")])
  ]

  func generate(_ writer: DatasetWriter, _ phase: Phase) throws {
    var generator = DataGenerator(seed: 60)
    try writer.beginDocument("{")
    for number in 0..<rowCount {
      let id = "-M\(String(number + 10_000_000, radix: 36).uppercased())"
      let isChanged = phase == .hot && number % Self.changedEvery == 0
      let (name, notes) = (generator.text(3), generator.text(8))
      let values: [SeedValue] = [
        .text(id), .text(name), .text(isChanged ? "changed: \(notes)" : notes), generator.integer(5),
      ]
      try writer.separate()
      writer.scalar(.text(id))
      writer.raw(":{")
      writer.members(0, values, only: ["name", "notes", "priority"])
      writer.raw("}")
      try writer.row(0, values)
    }
    try writer.endDocument("}")
  }
}
