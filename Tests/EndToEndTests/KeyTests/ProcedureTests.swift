import Foundation
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

/// Runs each procedure of the article on keys. Afterwards first and new clients, Seedbank's and python-tuf's, update
/// without downloading their data again.
@Suite struct ProcedureTests {
  private struct Case {
    let heading: String
    var days = 0
    var roots = 1
    /// Files removed before.
    var lost: [String] = []
    /// A script that runs before.
    var before = ""
  }

  private static let token = """
    openssl genpkey -algorithm ed25519 -out token-key.pem
    openssl pkey -in token-key.pem -pubout -out token.pem
    """

  private static let cases = [
    Case(heading: "Renew root and targets", days: 120, roots: 2),
    Case(heading: "Sign on another machine", roots: 2),
    Case(heading: "Replace a root key with a hardware token", roots: 3, before: token),
    Case(heading: "The timestamp or snapshot key was stolen", roots: 2),
    Case(heading: "The series key was stolen"), Case(heading: "All online keys were stolen", roots: 2),
    Case(heading: "The targets key was lost or stolen", roots: 2, lost: ["t/targets.key"]),
    Case(heading: "One root key of several was lost or stolen", roots: 2, lost: ["c/root-3.key"]),
    Case(heading: "Everything has expired", days: 500, roots: 2), Case(heading: "The clock was wrong"),
  ]

  @Test(.full, arguments: cases.indices)
  func `each procedure works as documented, and clients need no new download`(_ index: Int) throws {
    let (one, scene) = (Self.cases[index], try KeyScene())
    let stolen = try scene.keyID("c/root-3.key")
    scene.days = one.days
    try Tool.run(["rm", "-f"] + one.lost.map { scene.folder($0) })
    try scene.shell(one.before)
    let output = try scene.type(one.heading, ["LOST_KEY": stolen, "OLD_KEY": stolen])
    #expect(try scene.shell("seedbank verify").hasSuffix("sound\n"), "\(one.heading): \(output)")
    #expect(try scene.publication.published().root.version == one.roots)
    try scene.everybodyFollows()
    try scene.publish()
    try scene.everybodyFollows()
    #expect(try scene.shop("early") == "change 1\n")
    #expect(try scene.generations("early") == 1, "the early client downloaded a snapshot")
    try expectSettled(scene)
  }

  /// Expects that root.json is the newest root.
  private func expectSettled(_ scene: KeyScene) throws {
    let published = try scene.publication.published()
    let newest = try #require(try scene.publication.metadata("\(published.root.version).root.json"))
    #expect(try DurableFile.read(scene.folder("seedbank/root.json"), limit: 1 << 20) == newest)
  }

  @Test func `with too few root keys, old apps keep updating and new apps use the new root`() throws {
    let scene = try KeyScene()
    for name in ["b/root-2.key", "c/root-3.key"] { try Folder.remove(scene.folder(name)) }
    try scene.type("Too few root keys are left")
    try scene.publish()
    try scene.everybodyFollows(newRoot: "seedbank/root.json")
    #expect(try scene.shop("early") == "change 1\n")
    // The new chain can be rotated by its own keys.
    try scene.shell("seedbank keys rotate timestamp --with \"$NEW_A\" --with \"$NEW_C\"")
    try scene.publish()
    try scene.follow(("later", "seedbank/root.json"))
    #expect(try scene.shell("seedbank verify").hasSuffix("sound\n"))
  }

  @Test func `after a lost publication, every client follows the new history`() throws {
    let scene = try KeyScene()
    try scene.shell("seedbank keys rotate timestamp snapshot --with \"$ROOT_A\" --with \"$ROOT_C\"")
    try scene.publish()
    try scene.everybodyFollows()
    try scene.shell("mkdir backup && cp seedbank/publication/metadata/*.root.json backup")
    try scene.shell("rm -r seedbank/publication seedbank/state && mkdir -p seedbank/publication/metadata")
    // A medium with a copy of all keys.
    try scene.shell("cp seedbank/keys/series.key \"$TARGETS\"")
    try scene.type("The publication was lost")
    try scene.publish()
    try scene.everybodyFollows()
    #expect(try scene.shop("early") == "change 2\n")
  }

  @Test func `every procedure of the article is run by a test`() throws {
    let tested =
      Self.cases.map(\.heading) + [
        "Begin with several root keys", "Too few root keys are left", "The publication was lost",
      ]
    #expect(try Set(OperatorArticle("KeysAndRecovery").typed.map(\.heading)) == Set(tested))
  }
}
