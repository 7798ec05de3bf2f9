import SeedFormat

/// Persons with nested phones.
struct PeopleWorkload: Workload {
  let name: String
  let persons: Int
  var phonesEach = 2
  var title: String { "Yalantis: \(persons) persons with \(phonesEach) phones each" }
  var rowCount: Int { persons * (1 + phonesEach) }

  let tables = [
    TableShape(name: "persons", columns: [.integer("id"), .text("name"), .text("city"), .integer("born")]),
    TableShape(
      name: "phones", columns: [.integer("id"), .integer("person"), .text("number")], index: "person",
      references: ["person": "persons"]),
  ]

  func generate(_ writer: DatasetWriter, _ phase: Phase) throws {
    var generator = DataGenerator(seed: 3_000)
    try writer.beginDocument("[")
    for id in 1...persons {
      let values: [SeedValue] = [
        .integer(Int64(id)), .text(generator.text(2)), .text(generator.word()),
        .integer(Int64(1930 + generator.below(90))),
      ]
      try writer.separate()
      writer.raw("{")
      writer.members(0, values)
      try writer.row(0, values)
      try phones(of: id, writer, &generator)
      writer.raw("}")
    }
    try writer.endDocument("]")
  }

  private func phones(of person: Int, _ writer: DatasetWriter, _ generator: inout DataGenerator) throws {
    writer.beginList(",\"phones\":[")
    for number in 0..<phonesEach {
      let id = Int64((person - 1) * phonesEach + number + 1)
      let values: [SeedValue] = [
        .integer(id), .integer(Int64(person)), .text("+49 30 \(generator.digits(8))"),
      ]
      try writer.separate()
      writer.raw("{")
      writer.members(1, values, only: ["id", "number"])
      writer.raw("}")
      try writer.row(1, values)
    }
    writer.endList("]")
  }
}
