import SeedDatabase
import SeedFormat
import SeedTemplate
import Support
import Testing

@Suite("Templates")
struct TemplateTests {
  private let maker: StoreMaker
  private let template: Template

  init() throws {
    maker = try StoreMaker()
    template = try Template(reading: maker.store(Transit.model))
  }

  private func columns(_ table: String) -> [String] {
    template.mapping.tables.first { $0.name == table }?.columns.map { "\($0.name) = \($0.content.words)" }
      ?? []
  }

  @Test("entities are numbered from the roots down and declare only their own properties")
  func entities() throws {
    let model = template.file.model
    #expect(
      model.numbered.map(\.name) == ["Line", "Note", "Stop", "Trip", "Vehicle", "Bus", "NightBus", "Tram"])
    #expect(template.file.numbers["NightBus"] == 7)
    #expect(model["NightBus"]?.attributes.map(\.name) == ["light"])
    #expect(model["NightBus"]?.relationships == [])
    #expect(model["Vehicle"]?.isAbstract == true)
    #expect(model["Bus"]?.parent == "Vehicle" && model.root(of: "NightBus") == "Vehicle")
    #expect(model["Stop"]?.uniqueness == [["code"]] && model["Stop"]?.fetched == ["near"])
  }

  @Test("attributes keep their types, defaults and flags")
  func attributes() throws {
    let stop = Dictionary(
      uniqueKeysWithValues: try #require(template.file.model["Stop"]).attributes.map { ($0.name, $0) })
    #expect(stop["code"]?.isOptional == false && stop["name"]?.isOptional == true)
    #expect(stop["name"]?.defaultValue == .string("?") && stop["zone"]?.defaultValue == .integer(1))
    #expect(stop["isOpen"]?.defaultValue == .bool(false) && stop["isOpen"]?.type == .boolean)
    #expect(stop["sign"]?.isExternal == true && stop["uuid"]?.isExternal == false)
    #expect(stop["cache"]?.isTransient == true && stop["colour"]?.type == .transformable)
    #expect(stop["place"]?.elements.map(\.name) == ["street", "inner"])
    #expect(template.file.model["Line"]?.attributes.first?.counts == "trips")
  }

  @Test("attributes with the same name get different columns")
  func attributeColumns() {
    #expect(
      Set(columns("ZSTOP")).isSuperset(of: [
        "Z_PK = the key", "ZCODE = Stop.code", "ZNAME = Stop.name", "ZNAME1 = Stop.place.inner.name",
        "ZSTREET = Stop.place.street", "ZISOPEN = Stop.isOpen",
      ]))
    #expect(!columns("ZSTOP").contains { $0.contains("cache") || $0.contains("near") })
    #expect(
      columns("ZVEHICLE") == [
        "Z_PK = the key", "Z_ENT = the entity's number", "Z_OPT = the count of saves",
        "ZNUMBER = Vehicle.number",
        "ZTEXT = Bus.text", "ZLIGHT = NightBus.light", "ZTEXT1 = Tram.text",
      ])
  }

  @Test("relationships have columns for key, order and entity")
  func relationshipColumns() {
    #expect(
      columns("ZTRIP").suffix(4) == [
        "ZLINE = Trip.line", "Z_FOK_LINE = the order of Trip.line", "ZVEHICLE = Trip.vehicle",
        "Z5_VEHICLE = the entity of Trip.vehicle",
      ])
    #expect(columns("ZNOTE").last == "Z1NOTES = the owner in Line.notes")
    #expect(
      columns("Z_1STOPS") == [
        "Z_1LINES1 = Stop.lines", "Z_3STOPS = Line.stops", "Z_FOK_3STOPS = the order of Line.stops",
      ])
    #expect(columns("Z_5HELPEDBY") == ["Z_5HELPS = Vehicle.helps", "Z_5HELPEDBY = Vehicle.helpedBy"])
    #expect(template.mapping.triggers.count == 5)
  }

  @Test("stores without checksums and stores with a history are read alike")
  func others() throws {
    let older = try Template(reading: maker.store(Transit.model([], [JSONMember("checksums", false)])))
    #expect(older.mapping == template.mapping && older.file.metadata == template.file.metadata)
    let recorded = try Template(reading: maker.store(Transit.model([], [JSONMember("history", true)])))
    #expect(recorded.mapping == template.mapping)
  }

  @Test("an extracted template is the same store in one file")
  func extraction() throws {
    let path = try maker.store(Transit.model)
    let copy = try Template.extract(path, to: maker("template.sqlite"))
    #expect(copy.mapping == template.mapping && copy.file.metadata == template.file.metadata)
    let (before, after) = (
      try Connection(path, .snapshot), try Connection(maker("template.sqlite"), .snapshot)
    )
    for pragma in ["page_size", "auto_vacuum", "user_version", "application_id", "encoding"] {
      #expect(try before.value("PRAGMA \(pragma)") == after.value("PRAGMA \(pragma)"), "\(pragma)")
    }
    let schema = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"
    #expect(try before.rows(schema) == after.rows(schema))
  }
}
