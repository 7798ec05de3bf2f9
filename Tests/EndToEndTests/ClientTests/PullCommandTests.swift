import Foundation
import SeedFormat
import SeedSystem
import Support
import Testing

@Suite struct WatchCommandTests {
  let store: PulledStore

  init() throws { store = try PulledStore() }

  private func events(_ watch: TestProgram) -> [JSONValue] {
    watch.output.split(separator: "\n").compactMap { try? JSONValue(parsing: Array($0.utf8)) }
  }

  private func event(_ name: String, of watch: TestProgram) throws -> JSONValue {
    try eventually("the event \(name) is printed") {
      events(watch).first { $0["event"]?.string == name }
    }
  }

  @Test func `a watch reports each change and the end of its series`() throws {
    let watch = try store.watch("--json")
    #expect(try event("opening", of: watch)["version"]?.integer == 3)
    try store.deployment.origin("UPDATE shop SET name = 'other' WHERE id = 2")
    try store.folder.succeed("regenerate")
    let change = try event("changes", of: watch)
    #expect(change["version"]?.integer == 4)
    #expect(change["tables"]?.elements?.first?["updated"]?.integer == 1)
    try store.deployment.configure(#""lifecycle": {"1": {"state": "deprecated", "sunset": "2030-01-31"}}"#)
    let end = try event("lifecycle", of: watch)["lifecycle"]
    #expect(end?["state"]?.string == "deprecated" && end?["sunset"]?.string == "2030-01-31")
    #expect(
      watch.output.contains("Warning: my/1 is deprecated and ends on 2030-01-31: switch to a newer model"))
    #expect(try watch.stop() == .exited(0))
  }

  @Test func `a watch ends at the first event after its reader`() throws {
    let output = try Spawn.pipe(to: "a watch")
    let watch = try store.watch(output: output.write)
    try waitUntil("the store is filled", every: 0.05) { store.folder.exists("store/CURRENT") }
    close(output.read)
    try store.deployment.origin("UPDATE shop SET name = 'other' WHERE id = 2")
    try store.folder.succeed("regenerate")
    #expect(try watch.wait() == .exited(0))
  }

  @Test(.full) func `a watch outlives a server outage`() throws {
    let watch = try store.watch()
    try watch.waits(for: "my/1: version 3, ")
    let port = try #require(store.stopServing())
    try watch.waits(for: "Warning: ")
    try store.deployment.origin("UPDATE shop SET name = 'other' WHERE id = 2")
    try store.folder.succeed("regenerate")
    try store.serve(port: port)
    try watch.waits(for: "my/1: version 4: shop +0 ~1 -0")
    #expect(try watch.stop() == .exited(0))
  }
}

@Suite struct IncompletePullTests {
  @Test func `a pull that cannot reach the newest version warns`() throws {
    let store = try PulledStore()
    let folder = store.folder("seedbank/publication/targets/my/1")
    for name in try Folder.names(in: folder) where name.hasSuffix("-3.json.gz") {
      try Folder.remove("\(folder)/\(name)")
    }
    let outcome = try store.pull("--store", "store")
    #expect(outcome.status == 0 && outcome.output.contains("my/1: version 1,"), "\(outcome)")
    #expect(outcome.errors.contains("Warning: my/1: version 3 is published, but"), "\(outcome)")
  }
}

@Suite struct WrongAddressTests {
  @Test func `a pull from an address without a publication names what to give`() throws {
    let store = try PulledStore()
    try SeedbankBinary.run(
      SeedbankBinary.pull("\(store.address)/elsewhere", into: "store"), in: store.folder.path
    ).expect(69, "give the address of a publication")
  }
}

@Suite struct CheckCommandTests {
  let store: PulledStore

  init() throws { store = try PulledStore() }

  @Test func `a check reports the next update without downloading it`() throws {
    let first = try store.pull("--store", "store", "--check", "--json").json()
    #expect(first["action"]?.string == "replaced" && first["reason"]?.string == "firstDownload")
    #expect(first["bytes"]?.integer ?? 0 > 0 && first["from"] == .null && first["to"]?.integer == 3)
    #expect(!store.folder.exists("store/CURRENT"))
    let done = try store.pull("--store", "store", "--json").json()
    #expect(done["bytes"] == first["bytes"])
    let text = try store.pull("--store", "store", "--check")
    #expect(
      text.status == 0 && text.output == "my/1: version 3 is the newest\n", "\(text.output)\(text.errors)")
  }

  @Test func `a check after a change names the delta`() throws {
    try store.fill()
    try store.deployment.origin("UPDATE shop SET name = 'other' WHERE id = 2")
    try store.folder.succeed("regenerate")
    let found: ProgramOutcome = try eventually("the front notices") {
      let outcome = try store.pull("--store", "store", "--check")
      return outcome.output.contains("is the newest") ? nil : outcome
    }
    #expect(found.output.hasPrefix("my/1: version 3 → 4, ") && found.output.contains("delta-3-4.json.gz"))
    #expect(try store.pull("--store", "store").output.contains("version 3 → 4"))
  }
}
