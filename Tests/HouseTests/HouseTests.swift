import Testing

@Suite("House")
struct HouseTests {
  /// The longest file, in lines.
  static let longestFile = 420
  /// Limit of types named just once outside their file. Most of them could be part of their only user.
  static let typesNamedOnce = 87

  private static let project = Result { try House.project() }

  let house: House

  init() throws {
    house = try Self.project.get()
  }

  @Test("each module with rooms declares their order and each of its files belongs to one")
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

  @Test("no file is too long")
  func lengths() {
    #expect(house.files.filter { $0.lines > Self.longestFile }.map { "\($0.path): \($0.lines)" } == [])
  }

  @Test("few types are named just once outside their file")
  func fragments() {
    let types = house.typesNamedOnce
    #expect(types.count <= Self.typesNamedOnce, "\(types.joined(separator: ", "))")
  }
}

/// Each rule must detect a violation.
@Suite("House rules")
struct HouseRuleTests {
  private static let opening = "// Rooms, from the ground up: Low,\n// Middle/Inner, API.\nenum M {}\n"

  @Test("a planted arrow is found with file and type")
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

  @Test("only code and interpolations count as arrows")
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

  @Test("a file outside the declared rooms is found")
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

  @Test("only a type named once in one place is counted")
  func once() {
    let house = House([
      "M/A.swift": "struct A { let b: B }", "M/B.swift": "struct B { let c: C, d: C }",
      "M/C.swift": "struct C {}",
    ])
    #expect(house.typesNamedOnce == ["B"])
  }
}
