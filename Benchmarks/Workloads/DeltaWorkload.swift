import Foundation
import SeedFormat

/// 60,000 persons and 180,000 phones, flat, one secondary index: the rows of a large delta.
struct DeltaWorkload: Workload {
  let name = "delta"
  let title = "Row 4: 240,000 rows into two tables, one indexed"
  private static let persons = 60_000
  private static let phonesEach = 3
  var rowCount: Int { Self.persons * (1 + Self.phonesEach) }

  let tables = [
    TableShape(
      name: "persons",
      columns: [
        .integer("id"), .text("first"), .text("last"), .text("email"), .text("city"), .integer("born"),
        .real("score"),
      ]),
    TableShape(
      name: "phones",
      columns: [.integer("id"), .integer("person"), .text("kind"), .text("number"), .integer("verified")],
      index: "person"),
  ]

  private struct Document: Decodable {
    let persons: [Person]
    let phones: [Phone]
  }

  private struct Person: Decodable {
    let id: Int64
    let first, last, email, city: String
    let born: Int64
    let score: Double

    var values: [SeedValue] {
      [.integer(id), .text(first), .text(last), .text(email), .text(city), .integer(born), .real(score)]
    }
  }

  private struct Phone: Decodable {
    let id, person: Int64
    let kind, number: String
    let verified: Int64

    var values: [SeedValue] {
      [.integer(id), .integer(person), .text(kind), .text(number), .integer(verified)]
    }
  }

  func generate(_ writer: DatasetWriter, _ phase: Phase) throws {
    var generator = DataGenerator(seed: 4)
    try writer.beginDocument("{")
    writer.beginList("\"persons\":[")
    for id in 1...Self.persons { try writer.object(0, person(id, &generator)) }
    writer.endList("],")
    writer.beginList("\"phones\":[")
    for id in 1...(Self.persons * Self.phonesEach) { try writer.object(1, phone(id, &generator)) }
    try writer.endDocument("]}")
  }

  private func person(_ id: Int, _ generator: inout DataGenerator) -> [SeedValue] {
    let (first, last) = (generator.word(), generator.word())
    return [
      .integer(Int64(id)), .text(first), .text(last), .text("\(id).\(generator.digits(8))@example.org"),
      .text(generator.word()), .integer(Int64(1930 + generator.below(90))), generator.real(1_000),
    ]
  }

  private func phone(_ id: Int, _ generator: inout DataGenerator) -> [SeedValue] {
    [
      .integer(Int64(id)), .integer(Int64((id - 1) / Self.phonesEach + 1)),
      .text(["mobile", "home", "work"][generator.below(3)]), .text("+49 30 \(generator.digits(8))"),
      generator.integer(2),
    ]
  }

  /// Receives an object of a document: its table's number and its columns' values.
  typealias Sink = (Int, [SeedValue]) throws -> Void

  /// Reads with JSONDecoder.
  func decode(_ document: Data, _ sink: Sink) throws {
    let document = try JSONDecoder().decode(Document.self, from: document)
    for person in document.persons { try sink(0, person.values) }
    for phone in document.phones { try sink(1, phone.values) }
  }

  /// Reads with JSONSerialization.
  func parse(_ document: Data, _ sink: Sink) throws {
    let lists = try JSONSerialization.jsonObject(with: document) as? [String: Any]
    for (number, table) in tables.enumerated() {
      for object in lists?[table.name] as? [Any] ?? [] {
        let members = object as? [String: Any]
        try sink(number, table.columns.map { try $0.value(members?[$0.name]) })
      }
    }
  }
}

extension Column {
  fileprivate func value(_ member: Any?) throws -> SeedValue {
    switch kind {
    case .integer: if let value = member as? Int { return .integer(Int64(value)) }
    case .real: if let value = member as? Double { return .real(value) }
    case .text: if let value = member as? String { return .text(value) }
    }
    throw BenchmarkError.unexpected("member", in: name)
  }
}
