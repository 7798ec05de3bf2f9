import SeedFormat
import SeedSigning
import SeedTrust
import Support
import Testing

@Suite struct DelegationSearchTests {
  private typealias Edge = DelegationGraph.Edge

  private func expectOrder(_ edges: [Edge], _ order: [String], _ comment: Comment? = nil) async throws {
    let (found, requests) = try await DelegationGraph(edges).search("missing")
    #expect(!found)
    #expect(requests == order, comment)
  }

  @Test func `delegated roles are searched depth first in the order of the delegations`() async throws {
    try await expectOrder([Edge(to: "A"), Edge(to: "B")], ["A", "B"])
    try await expectOrder(
      [Edge(to: "A"), Edge(to: "B"), Edge(from: "A", to: "C"), Edge(from: "C", to: "D")],
      ["A", "C", "D", "B"])
    try await expectOrder(
      [Edge(to: "A"), Edge(to: "B"), Edge(from: "B", to: "C"), Edge(from: "A", to: "C")], ["A", "C", "B"])
  }

  @Test func `a cycle of delegations ends`() async throws {
    try await expectOrder(
      [Edge(to: "A"), Edge(from: "A", to: "B"), Edge(from: "B", to: "A"), Edge(from: "B", to: "B")],
      ["A", "B"])
  }

  @Test func `after a terminating delegation only its own delegates are searched`() async throws {
    try await expectOrder(
      [
        Edge(to: "A"), Edge(to: "B"), Edge(from: "A", to: "C", terminating: true), Edge(from: "A", to: "D"),
        Edge(from: "C", to: "E"),
      ], ["A", "C", "E"])
    try await expectOrder(
      [Edge(to: "A", paths: .patterns(["*.md"]), terminating: true), Edge(to: "B")], ["B"],
      "one that does not concern the path does not end the search")
  }

  @Test func `a role is searched only for paths that every delegation above it covers`() async throws {
    let edges = [
      Edge(to: "A", paths: .patterns(["a/*"])), Edge(from: "A", to: "C"),
      Edge(from: "A", to: "D", paths: .patterns(["*/*"])),
    ]
    let graph = try DelegationGraph(edges, files: ["C": ["a/f", "b/f"], "D": ["a/f", "b/f"]])
    #expect(try await graph.search("a/f") == (true, ["A", "D"]))
    #expect(try await graph.search("b/f") == (false, []))
  }

  @Test func `a path may be delegated by a prefix of its digest`() async throws {
    let digest = SHA256Digest.of(Array("f".utf8)).hex
    let bin = DelegatedPaths.hashPrefixes([String(digest.prefix(2))])
    let other = DelegatedPaths.hashPrefixes([digest.hasPrefix("0") ? "1" : "0"])
    let graph = try DelegationGraph(
      [Edge(to: "bin-1", paths: other), Edge(to: "bin-2", paths: bin)],
      files: ["bin-1": ["f"], "bin-2": ["f"]])
    #expect(try await graph.search("f") == (true, ["bin-2"]))
  }

  @Test func `the more trusted role wins`() async throws {
    let graph = try DelegationGraph(
      [Edge(to: "A"), Edge(to: "B"), Edge(from: "A", to: "C")],
      files: ["C": ["f"], "B": ["f"], "targets": ["g"], "A": ["g"]])
    #expect(try await graph.search("f") == (true, ["A", "C"]))
    #expect(try await graph.search("g") == (true, []))
  }

  @Test func `a search ends after 32 delegated roles`() async throws {
    let edges = (1...40).map { Edge(from: $0 == 1 ? "targets" : "r\($0 - 1)", to: "r\($0)") }
    let graph = try DelegationGraph(edges, files: ["r32": ["f"], "r33": ["g"]])
    #expect(try await graph.search("f") == (true, (1...32).map { "r\($0)" }))
    #expect(try await graph.search("g") == (false, (1...32).map { "r\($0)" }))
  }

  @Test func `a missing or wrongly signed role ends the search instead of being skipped`()
    async throws
  {
    let graph = try DelegationGraph([Edge(to: "A"), Edge(to: "B")], files: ["B": ["f"]])
    graph.withhold("A")
    await #expect(throws: TrustError.missingFile(name: "1.A.json")) { try await graph.search("f") }

    let forged = try DelegationGraph(
      [
        Edge(to: "A"), Edge(to: "B"), Edge(from: "B", to: "C", key: .generate()),
        Edge(from: "A", to: "C", key: .generate()),
      ], files: ["C": ["f"]])
    await #expect(throws: TrustError.badSignature(role: "C", found: 0, needed: 1)) {
      try await forged.search("f")
    }
  }

  @Test func `a role verified for one delegator is verified again for another`() async throws {
    let graph = try DelegationGraph(
      [
        Edge(to: "A", paths: .patterns(["a-*"])), Edge(to: "B", paths: .patterns(["b-*"])),
        Edge(from: "A", to: "C"), Edge(from: "B", to: "C", key: .generate()),
      ], files: ["C": ["a-f", "b-f"]])
    #expect(try await graph.search("a-f") == (true, ["A", "C"]))
    await #expect(throws: TrustError.badSignature(role: "C", found: 0, needed: 1)) {
      try await graph.searchOn("b-f")
    }
    #expect(try await graph.searchOn("a-f") == (true, []), "and what was verified before still counts")
  }

  @Test(arguments: [
    "?", "#", "/x", "../x", "..", ".", "a b", "%2F", "timestamp.json", "Ü", "\t", "1.root",
  ])
  func `a role of any name has a unique and safe file name`(name: String) async throws {
    let graph = try DelegationGraph([Edge(to: name)], files: [name: ["f"]])
    #expect(try await graph.search("f").found)
    #expect(graph.stored.count == 4, "the root was shipped")
    let file = try #require(Set(graph.stored.keys).subtracting(Root.topLevelRoles.map { "\($0).json" }).first)
    #expect(file.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/?#\\:".utf8.contains($0) })
    #expect(file.hasSuffix(".json") && file.count > ".json".count)
    #expect(try await graph.searchOn("f") == (true, []), "the stored copy is found again")
  }
}

@Suite struct TargetFileTests {
  private static let bytes = Array("content".utf8)
  private static let sha256 = "ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73"
  private static let sha512 =
    "b2d1d285b5199c85f988d03649c37e44fd3dde01e5d69c50fef90651962f4811"
    + "0e9340b60d49a479c4c0b53f5f07d690686dd87d2481937a512e8b85ee7c617f"

  private func file(_ hashes: [String: String], length: Int = bytes.count) throws -> TargetFile {
    let members = hashes.map { JSONMember($0.key, .string($0.value)) }
    let signed: JSONValue = [
      "_type": "targets", "spec_version": "1.0.31", "version": 1, "expires": "2030-01-01T00:00:00Z",
      "targets": ["f": ["length": .integer(Int64(length)), "hashes": .object(members)]],
    ]
    let metadata = try Metadata<Targets>(parsing: (["signatures": [], "signed": signed] as JSONValue).bytes)
    return try #require(metadata.signed.targets["f"])
  }

  @Test func `SHA-256 and SHA-512 digests are accepted alone and together`() throws {
    for hashes in [["sha256": Self.sha256], ["sha512": Self.sha512]] {
      try file(hashes).check(Self.bytes, of: "f")
    }
    try file(["sha256": Self.sha256, "sha512": Self.sha512]).check(Self.bytes, of: "f")
  }

  @Test func `every digest must match and have a known algorithm`() throws {
    let wrong = String(repeating: "0", count: 64)
    let cases = [
      ("sha256", ["sha256": wrong]), ("sha512", ["sha512": wrong]), ("md4", ["md4": wrong]),
      ("sha512", ["sha256": Self.sha256, "sha512": wrong]), ("md4", ["sha256": Self.sha256, "md4": wrong]),
      ("sha256", ["sha256": Self.sha256.uppercased()]),
    ]
    for (algorithm, hashes) in cases {
      #expect(throws: TargetFileError.hashMismatch(path: "f", algorithm: algorithm)) {
        try file(hashes).check(Self.bytes, of: "f")
      }
    }
  }

  @Test func `a file of another length is rejected`() throws {
    #expect(throws: TargetFileError.lengthMismatch(path: "f", signed: 8, found: 7)) {
      try file(["sha256": Self.sha256], length: 8).check(Self.bytes, of: "f")
    }
  }

  @Test func `a consistent snapshot prefixes the name with a digest and percent-encodes the path`() throws {
    let both = try file(["sha256": Self.sha256, "sha512": Self.sha512, "md4": "0"])
    #expect(both.repositoryPath(of: "a b/c?", consistentSnapshot: true) == "a%20b/\(Self.sha256).c%3F")
    #expect(both.repositoryPath(of: "a b/c?", consistentSnapshot: false) == "a%20b/c%3F")
    #expect(
      try file(["sha512": Self.sha512]).repositoryPath(of: "f", consistentSnapshot: true)
        == "\(Self.sha512).f")
    #expect(try file(["md4": "0"]).repositoryPath(of: "f", consistentSnapshot: true) == nil)
  }
}
