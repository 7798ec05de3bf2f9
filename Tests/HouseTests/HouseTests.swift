import Testing

/// The rules of the house. A reader relies on them without being told.
@Suite("House")
struct HouseTests {
  /// The longest file, in lines.
  static let longestFile = 420
  /// How many types may be named just once outside their file. Most of these could as well be part of their only user.
  static let typesNamedOnce = 87

  /// Read once for all tests.
  private static let project = Result { try House.project() }

  let house: House

  init() throws {
    house = try Self.project.get()
  }

  @Test("each module with rooms states their order, and each of its files lies in one of them")
  func order() {
    for module in house.modulesWithRooms.sorted() {
      #expect(house.rooms[module] != nil, "\(module)/\(module).swift does not state the order of its rooms")
      #expect(house.outsiders(in: module) == [], "these lie in no room of \(module)")
    }
  }

  @Test("a room names nothing of a later one")
  func direction() {
    for module in house.modulesWithRooms.sorted() {
      let arrows = house.backwardArrows(in: module)
      #expect(arrows.isEmpty, "\(arrows.map(\.description).sorted().joined(separator: "\n"))")
    }
  }

  @Test("the front and the publication name nothing of the publisher, no signer and no private key")
  func walls() {
    let walled: Set = [
      "SeedPublisher", "SeedImport", "RepositorySigner", "SigningKey", "KeyRing", "KeyFile", "PEMKey",
    ]
    for module in ["SeedFront", "SeedPublication"] {
      #expect(house.files.contains { $0.module == module }, "\(module) is gone")
      #expect(house.files(in: module, naming: walled) == [])
    }
  }

  @Test("no file is long")
  func lengths() {
    #expect(house.files.filter { $0.lines > Self.longestFile }.map { "\($0.path): \($0.lines)" } == [])
  }

  @Test("few types are named just once outside their file")
  func fragments() {
    let types = house.typesNamedOnce
    #expect(types.count <= Self.typesNamedOnce, "\(types.joined(separator: ", "))")
  }
}

/// The rules can be broken, and then say so.
@Suite("House rules")
struct HouseRuleTests {
  private static let opening = "// Rooms, from the ground up: Low,\n// Middle/Inner, API.\nenum M {}\n"

  @Test("an arrow that is planted is found, and names file and type")
  func planted() {
    let house = House([
      "M/M.swift": Self.opening,
      "M/Low/Stone.swift": "struct Stone { let roof: Roof? }",
      "M/Middle/Inner/Roof.swift": "package struct Roof { let stone: Stone }",
    ])
    #expect(
      house.backwardArrows(in: "M").map(\.description)
        == ["M/Low/Stone.swift names Roof of the later room Middle/Inner"])
  }

  @Test("comments, literals, members and private types are no arrows; what is interpolated is")
  func lexing() {
    func arrows(_ text: String) -> Int {
      House([
        "M/M.swift": Self.opening, "M/Low/Stone.swift": text,
        "M/Facade.swift": "public final class Roof {}\nprivate struct Own {}\n",
      ]).backwardArrows(in: "M").count
    }
    #expect(
      arrows("// Roof\n/* Roof */ let a = \"Roof \\\" Roof\", b = #\"\"\"\nRoof \\(Roof)\n\"\"\"#") == 0)
    #expect(arrows("struct Own {}\nlet own = Own()") == 0)
    #expect(arrows("let a = \"\\(x(\"\\(Roof())\"))\"") == 1)
  }

  @Test("a file outside the stated rooms is found")
  func outside() {
    let house = House(["M/M.swift": Self.opening, "M/Cellar/Rat.swift": "enum Rat {}", "M/A.swift": ""])
    #expect(house.outsiders(in: "M") == ["M/Cellar/Rat.swift"])
    #expect(house.rooms["M"] == ["Low", "Middle/Inner", "API"])
  }

  @Test("a file that names what lies behind a wall is found, in its code and in its imports")
  func walls() {
    let house = House([
      "M/A.swift": "import Vault", "M/B.swift": "let key: Key? = nil", "M/C.swift": "// Key of the Vault",
      "N/D.swift": "import Vault",
    ])
    #expect(house.files(in: "M", naming: ["Vault", "Key"]) == ["M/A.swift", "M/B.swift"])
  }

  @Test("a type that one place names once is counted, one that two places name is not")
  func once() {
    let house = House([
      "M/A.swift": "struct A { let b: B }", "M/B.swift": "struct B { let c: C, d: C }",
      "M/C.swift": "struct C {}",
    ])
    #expect(house.typesNamedOnce == ["B"])
  }
}
