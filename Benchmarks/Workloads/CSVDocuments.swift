import Foundation
import SeedFormat
import SeedImport

/// The same rows as JSON lines and as CSV.
enum CSVDocuments {
  static let table = TableShape(
    name: "calls",
    columns: [
      .integer("id"), .text("trip"), .integer("place"), .text("stop"), .integer("arrival"), .real("distance"),
      .text("note"),
    ])

  static let mapping = TableMapping(table.name)

  static func lines(in folder: String) -> String { "\(folder)/calls.ndjson" }

  static func csv(in folder: String) -> String { "\(folder)/calls.csv" }

  static func write(_ rows: Int, to folder: String) throws {
    var generator = DataGenerator(seed: 4180)
    var (lines, csv) = ([UInt8](), Array("id,trip,place,stop,arrival,distance,note\n".utf8))
    for id in 1...rows {
      let (trip, stop) = ("trip-\(id / 30)", "de:11000:900\(generator.below(100_000))")
      let (arrival, distance) = (generator.below(86_400), "\(generator.below(900)).25")
      let note = generator.below(10) == 0 ? "platform \"\(generator.below(9))\", \(generator.word())" : ""
      lines += "{\"id\":\(id),\"trip\":\"\(trip)\",\"place\":\(id % 30),\"stop\":\"\(stop)\"".utf8
      lines += ",\"arrival\":\(arrival),\"distance\":\(distance),\"note\":".utf8
      JSONWriter.append(note, to: &lines)
      lines += "}\n".utf8
      let quoted = note.isEmpty ? "" : "\"\(note.replacing("\"", with: "\"\""))\""
      csv += "\(id),\(trip),\(id % 30),\(stop),\(arrival),\(distance),\(quoted)\n".utf8
    }
    try Data(lines).write(to: URL(fileURLWithPath: Self.lines(in: folder)))
    try Data(csv).write(to: URL(fileURLWithPath: Self.csv(in: folder)))
  }
}
