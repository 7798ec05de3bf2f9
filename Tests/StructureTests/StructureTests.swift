import Foundation
import Testing

@Suite("Structure")
struct StructureTests {
  /// The longest file, in lines.
  static let longestFile = 400
  /// Limit of types named just once outside their file. Most of them could be part of their only user.
  static let typesNamedOnce = 77
  /// Limits of the stops of the walks, in the article's order.
  static let mostStops = [34, 38, 15]

  /// Each opens a file made on this machine, an operator's origin, or a generation that was checked when it arrived.
  static let openersOfOwnFiles = Set(
    """
    SeedClient/Read/GenerationCheck SeedClient/Read/GenerationReader \
    SeedClient/SeedStore+State SeedClient/Update/StoreWriter SeedClientTesting/DatabaseContents SeedClientTesting/TestPublication \
    SeedImport/Importer SeedPublisher/Diff/WorkingCopy SeedPublisher/Origin/Feed/FeedLoader \
    SeedPublisher/Origin/Feed/FeedSurvey SeedPublisher/Origin/SQLite/SQLiteLogSetup SeedPublisher/Origin/SQLite/SQLiteOrigin \
    SeedPublisher/Origin/TypeGuard SeedPublisher/Publish/FactsKeeper SeedPublisher/Publish/StepHistory \
    SeedPublisher/Setup/OriginSurvey seedbank/Commands/DemoOrigin seedbank/Commands/ImportJob \
    seedbank/Status/DeploymentStatus
    """.split(separator: " ").map { "\($0).swift" })

  private static let project = Result { try SourceTree.project() }

  let tree: SourceTree

  init() throws {
    tree = try Self.project.get()
  }

  @Test("each module with folders declares their order and each of its files belongs to one")
  func order() {
    for module in tree.modulesWithFolders.sorted() {
      #expect(
        tree.folders[module] != nil, "\(module)/\(module).swift does not state the order of its folders")
      #expect(tree.outsiders(in: module) == [], "these lie in no folder that \(module) declares")
    }
  }

  @Test("a folder names no type of a later one")
  func direction() {
    for module in tree.modulesWithFolders.sorted() {
      let uses = tree.backwardUses(in: module)
      #expect(uses.isEmpty, "\(uses.sorted().joined(separator: "\n"))")
    }
  }

  @Test("the front and the publication import nothing of the publisher")
  func boundaries() {
    for module in ["SeedFront", "SeedPublication"] {
      #expect(tree.modules.contains(module), "\(module) is gone")
      #expect(tree.files(in: module, naming: ["SeedPublisher", "SeedImport"]) == [])
    }
  }

  @Test("one file of the client needs URLSession, which not every platform has")
  func sessions() {
    #expect(
      tree.modules.flatMap { tree.files(in: $0, naming: ["FoundationNetworking"]) }.sorted() == [
        "SeedClient/Transport/URLSessionTransport.swift", "seedbank/Commands/ReadyCommand.swift",
      ])
  }

  @Test("only modules that sign import private keys")
  func signing() {
    let signing: Set = ["SeedSigning", "SeedPublisher", "SeedClientTesting", "seedbank"]
    #expect(signing.isSubset(of: tree.modules), "one of \(signing) is gone")
    for module in tree.modules.subtracting(signing) {
      #expect(tree.files(in: module, naming: ["SeedSigning"]) == [])
    }
  }

  @Test("only these files open a database in a mode that is unsafe for one from elsewhere")
  func openers() {
    #expect(tree.openersOfOwnFiles == Self.openersOfOwnFiles)
  }

  @Test("no file is too long")
  func lengths() {
    #expect(tree.files.filter { $0.lines > Self.longestFile }.map { "\($0.path): \($0.lines)" } == [])
  }

  @Test("few types are named just once outside their file")
  func fragments() {
    let types = tree.typesNamedOnce
    #expect(types.count <= Self.typesNamedOnce, "\(types.joined(separator: ", "))")
  }

  @Test("the article's walks stay short and name types that exist")
  func walks() throws {
    let path = #filePath.replacing(#/Tests\/.*/#, with: "Sources/SeedFormat/SeedFormat.docc/Walks.md")
    let walks = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n## ").dropFirst(2)
      .map { $0.split(separator: "\n").compactMap { $0.prefixMatch(of: #/[0-9]+\. (?:`([A-Z]\w+)`)?/#) } }
    #expect(zip(walks, Self.mostStops).allSatisfy { $0.count <= $1 } && walks.count == Self.mostStops.count)
    let words = Set(tree.files.flatMap(\.words.keys))
    #expect(walks.joined().compactMap(\.output.1).filter { !words.contains(String($0)) } == [])
  }
}

/// A forge shows the README and all that it links to.
@Suite("Articles")
struct ArticleLinkTests {
  private static let root = URL(filePath: #filePath.replacing(#/Tests\/.*/#, with: ""))

  @Test("links from the README on lead to files, in plain Markdown")
  func links() throws {
    var (open, seen) = ([Self.root.appending(path: "README.md")], Set<String>())
    while let file = open.popLast() {
      guard seen.insert(file.path).inserted else { continue }
      let text = try String(contentsOf: file, encoding: .utf8)
      #expect(!text.contains("<doc:") && !text.contains(#/[^`]``[^`]/#), "\(file.path)")
      open += text.matches(of: #/\]\(([^):#]+)[)#]/#).map {
        file.deletingLastPathComponent().appending(path: $0.1).standardized
      }.filter { link in
        #expect(FileManager.default.fileExists(atPath: link.path), "\(file.path): \(link.path)")
        return link.pathExtension == "md"
      }
    }
    #expect(seen.count > 30)
  }
}

/// Each rule must detect a violation.
@Suite("Structure rules")
struct StructureRuleTests {
  private static let opening = "// Folders, lowest first: Low,\n// Middle/Inner, API.\nenum M {}\n"

  @Test("a planted backward use is found with file and type")
  func planted() {
    let tree = SourceTree([
      "M/M.swift": Self.opening,
      "M/Low/Early.swift": "struct Early { let late: Late? }",
      "M/Middle/Inner/Late.swift": "package struct Late { let early: Early }",
    ])
    #expect(
      tree.backwardUses(in: "M")
        == ["M/Low/Early.swift names Late of the later folder Middle/Inner"])
  }

  @Test("only code and interpolations count as uses")
  func lexing() {
    func uses(_ text: String) -> Int {
      SourceTree([
        "M/M.swift": Self.opening, "M/Low/Early.swift": text,
        "M/Own.swift": "public final class Late {}\nprivate struct Own {}\n",
      ]).backwardUses(in: "M").count
    }
    #expect(
      uses("// Late\n/* Late */ let a = \"Late \\\" Late\", b = #\"\"\"\nLate \\(Late)\n\"\"\"#") == 0)
    #expect(uses("struct Own {}\nlet own = Own()") == 0)
    #expect(uses("let a = \"\\(x(\"\\(Late())\"))\"") == 1)
  }

  @Test("a file outside the declared folders is found")
  func outside() {
    let tree = SourceTree([
      "M/M.swift": Self.opening, "M/Unlisted/Stray.swift": "enum Stray {}", "M/A.swift": "",
    ])
    #expect(tree.outsiders(in: "M") == ["M/Unlisted/Stray.swift"])
    #expect(tree.folders["M"] == ["Low", "Middle/Inner", "API"])
  }

  @Test("a file with a forbidden name in its code or imports is found")
  func boundaries() {
    let tree = SourceTree([
      "M/A.swift": "import Vault", "M/B.swift": "let key: Key? = nil", "M/C.swift": "// Key of the Vault",
      "N/D.swift": "import Vault",
    ])
    #expect(tree.files(in: "M", naming: ["Vault", "Key"]) == ["M/A.swift", "M/B.swift"])
  }

  @Test("a file that opens a database in an unsafe mode is found")
  func openers() {
    let tree = SourceTree([
      "M/A.swift": "let a = try Connection(path, .writer)", "M/B.swift": "f(Connection(path, mode))",
      "M/C.swift": "let c = try Connection(path, .received)", "M/D.swift": "// Connection(path, .writer)",
      "M/E.swift": "let e = try Connection(\"scratch\", .scratch)", "M/F.swift": "PostgresConnection(url)",
    ])
    #expect(tree.openersOfOwnFiles == ["M/A.swift", "M/B.swift"])
  }

  @Test("only a type named once in one place is counted")
  func once() {
    let tree = SourceTree([
      "M/A.swift": "struct A { let b: B }", "M/B.swift": "struct B { let c: C, d: C }",
      "M/C.swift": "struct C {}",
    ])
    #expect(tree.typesNamedOnce == ["B"])
  }
}
