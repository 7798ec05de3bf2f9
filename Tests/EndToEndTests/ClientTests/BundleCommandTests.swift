import Foundation
import SeedFormat
import SeedSystem
import Support
import Testing

@Suite struct BundleCommandTests {
  let store: PulledStore

  init() throws { store = try PulledStore() }

  @Test func `pull --bundle reports the bundle's size and replaces an earlier bundle`() throws {
    try store.pull("--bundle", "seed").expect(0, output: "to the app")
    let again = try store.pull("--bundle", "seed", "--json").json()
    let files = try Tool.run(["find", "seed", "-type", "f", "-printf", "%s\\n"], in: store.folder.path)
    let bytes = files.split(separator: "\n").compactMap { Int($0) }.reduce(0, +)
    #expect(again["bytes"]?.integer == bytes)
    #expect(again["expandedBytes"]?.integer ?? 0 > 0 && again["dataset"]?.string == "my")
    let snapshot = try #require(again["snapshot"]?.string)
    #expect(store.folder.exists("seed/\(snapshot)"))
    #expect(!store.folder.exists("seed.tmp"))
  }

  @Test func `pull --bundle rejects a folder that holds other files`() throws {
    try store.folder.write("precious", to: "mine/notes.txt")
    try store.pull("--bundle", "mine").expect(74, "has no bundle")
    #expect(try store.folder.text("mine/notes.txt") == "precious")
  }

  @Test func `a bundle of a series that has ended is made with a warning`() throws {
    try store.deployment.configure(#""lifecycle": {"1": {"state": "retired", "message": "Use major 2."}}"#)
    let found: ProgramOutcome = try eventually("the front notices", within: 60) {
      let outcome = try store.pull("--bundle", "seed", "--json")
      return try outcome.json()["lifecycle"]?["state"]?.string == "retired" ? outcome : nil
    }
    #expect(found.status == 0 && found.errors.contains("my/1 has ended"), "\(found.errors)")
    try store.pull("--store", "store").expect(0, "Use major 2.")
    let check = try store.pull("--store", "store", "--check", "--json")
    #expect(check.errors.contains("my/1 has ended"))
    #expect(try check.json()["lifecycle"]?["message"]?.string == "Use major 2.")
  }

  @Test func `pull rejects a store of another major version and suggests another directory`() throws {
    try store.fill()
    try store.folder.seedbank(
      "pull", store.address, "--dataset", "my", "--model", "2.0", "--root", "seedbank/root.json", "--store",
      "store"
    ).expect(78, "is a store of my/1: give my/2 a directory")
    #expect(try store.doctor().output.contains("my/1: version 3"))
  }

  @Test func `pull names a root file that is not a root`() throws {
    try store.folder.write("{}", to: "mine.json")
    try store.folder.seedbank(
      "pull", store.address, "--dataset", "my", "--model", "1.0", "--root", "mine.json", "--store", "store"
    ).expect(78, "mine.json is not a publication's root")
  }

  @Test func `a signal ends the making of a bundle and leaves no temporary files`() throws {
    let asked = Mutex(false)
    let silent = try RawServer { _, _ in
      asked.withLock { $0 = true }
      return true
    }
    let program = try TestProgram(
      [
        SeedbankBinary.path, "pull", "http://127.0.0.1:\(silent.port)", "--dataset", "my", "--model", "1.0",
        "--root", "seedbank/root.json", "--bundle", "seed",
      ], in: store.folder.path)
    try eventually("it asks the server", within: 60) { asked.withLock(\.self) ? true : nil }
    #expect(store.folder.exists("seed.tmp"))
    #expect(try program.stop() == .exited(1))
    #expect(!store.folder.exists("seed.tmp"))
  }

  @Test func `--bundle together with --store or --watch, or neither of them, is a usage error`() throws {
    for arguments in [["--bundle", "b", "--store", "s"], ["--bundle", "b", "--watch"], []] {
      let outcome = try SeedbankBinary.run(
        SeedbankBinary.pull(store.address)
          + arguments,
        in: store.folder.path)
      #expect(outcome.status == 64 && outcome.output.isEmpty)
    }
    #expect(!store.folder.exists("b"))
  }

  @Test func `without a server, pull --bundle ends with 69 and leaves no files`() throws {
    try SeedbankBinary.run(
      SeedbankBinary.pull("http://127.0.0.1:9") + ["--bundle", "seed"], in: store.folder.path
    ).expect(69)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: store.folder.path).allSatisfy {
        !$0.hasPrefix("seed.")
      })
  }
}
