import Foundation
import SeedFormat
import Support
import Testing

@Suite struct CheckCommandTests {
  let store: PulledStore

  init() throws { store = try PulledStore() }

  @Test func `a check reports the next update without downloading it`() throws {
    let first = try store.pull("--store", "store", "--check", "--json").json()
    #expect(first["action"]?.string == "replaced" && first["reason"]?.string == "firstDownload")
    #expect(first["bytes"]?.integer ?? 0 > 0 && first["from"] == .null && first["to"]?.integer == 3)
    #expect(!FileManager.default.fileExists(atPath: store.folder("store/CURRENT")))
    let done = try store.pull("--store", "store", "--json").json()
    #expect(done["bytes"] == first["bytes"])
    let text = try store.pull("--store", "store", "--check")
    #expect(
      text.status == 0 && text.output == "my/1: version 3 is the newest\n", "\(text.output)\(text.errors)")
  }

  @Test func `a check after a change names the delta`() throws {
    try store.fill()
    try store.deployment.origin("UPDATE shop SET name = 'other' WHERE id = 2")
    try SeedbankBinary.succeed(["regenerate"], in: store.folder.path)
    let found: ProgramOutcome = try eventually("the front notices", within: 60) {
      let outcome = try store.pull("--store", "store", "--check")
      return outcome.output.contains("is the newest") ? nil : outcome
    }
    #expect(found.output.hasPrefix("my/1: version 3 → 4, ") && found.output.contains("delta-3-4.json.gz"))
    #expect(try store.pull("--store", "store").output.contains("version 3 → 4"))
  }

  @Test func `--check together with --watch, --verify or --bundle is a usage error`() throws {
    #expect(try store.pull("--store", "store", "--check", "--watch").status == 64)
    #expect(try store.pull("--store", "store", "--check", "--verify").status == 64)
    #expect(try store.pull("--bundle", "seed", "--check").status == 64)
  }
}
