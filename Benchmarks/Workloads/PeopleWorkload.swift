import Foundation
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

  private struct Person: Decodable {
    let id: Int64
    let name, city: String
    let born: Int64
    let phones: [Phone]

    var values: [SeedValue] { [.integer(id), .text(name), .text(city), .integer(born)] }
  }

  private struct Phone: Decodable {
    let id: Int64
    let number: String
  }

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

  func decode(_ document: Data, _ sink: RecordSink) throws {
    for person in try JSONDecoder().decode([Person].self, from: document) {
      try sink(0, person.values)
      for phone in person.phones {
        try sink(1, [.integer(phone.id), .integer(person.id), .text(phone.number)])
      }
    }
  }

  func parse(_ document: Data, _ sink: RecordSink) throws {
    for person in try ParsedObject.objects(try JSONSerialization.jsonObject(with: document)) {
      let values = try person.values(tables[0].columns)
      try sink(0, values)
      for phone in try person.objects("phones") {
        try sink(1, [phone.value(tables[1].columns[0]), values[0], phone.value(tables[1].columns[2])])
      }
    }
  }

  var jsonEach: [String] {
    let phone = tables[1]
    return [
      tables[0].fromJSON("json_each(?1)", policy),
      """
      INSERT INTO phones(id, person, number) SELECT phone.value->>'id', person.value->>'id', phone.value->>'number'
      FROM json_each(?1) AS person, json_each(person.value, '$.phones') AS phone WHERE true\(phone.onConflict(policy))
      """,
    ]
  }
}
