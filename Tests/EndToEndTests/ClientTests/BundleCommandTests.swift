import Foundation
import SeedFormat
import SeedSystem
import Support
import Testing

@Suite struct BundleCommandTests {
  let store: PulledStore

  init() throws { store = try PulledStore() }

  @Test func `pull --bundle reports the bundle's size and replaces an earlier bundle`() throws {
    try store.pull("--bundle", "seed").expect(0, output: "my/1: version 1 in ", "to the app")
    let again = try store.pull("--bundle", "seed", "--json").json()
    let files = try Tool.run(["find", "seed", "-type", "f", "-printf", "%s\\n"], in: store.folder.path)
    let bytes = files.split(separator: "\n").compactMap { Int($0) }.reduce(0, +)
    #expect(again["bytes"]?.integer == bytes)
    #expect(again["expandedBytes"]?.integer ?? 0 > 0 && again["dataset"]?.string == "my")
    let snapshot = try #require(again["snapshot"]?.string)
    #expect(store.folder.exists("seed/\(snapshot)"))
    #expect(!store.folder.exists("seed.tmp"))
  }

  @Test func `an earlier bundle stays if the new one cannot be moved to its place`() throws {
    try store.pull("--bundle", "seed").expect(0)
    let (pull, part) = (try SeedbankBinary.pull(store.address) + ["--bundle", "seed"], "seed.tmp/bundle")
    let injector = try FaultInjector()
    let last = try injector.count(pull, on: part, in: store.folder.path)
    let before = try Tool.run(["find", "seed", "-type", "f"], in: store.folder.path)
    try injector.run(pull, .ioError, at: last, on: part, in: store.folder.path)
      .expect(74, "rename to ")
    #expect(try Tool.run(["find", "seed", "-type", "f"], in: store.folder.path) == before)
    #expect(!store.folder.exists("seed.tmp"))
  }

  @Test func `a bundle of a series that has ended is made with a warning`() throws {
    try store.deployment.configure(#""lifecycle": {"1": {"state": "retired", "message": "Use major 2."}}"#)
    let found: ProgramOutcome = try eventually("the front notices") {
      let outcome = try store.pull("--bundle", "seed", "--json")
      return try outcome.json()["lifecycle"]?["state"]?.string == "retired" ? outcome : nil
    }
    #expect(found.status == 0 && found.errors.contains("my/1 has ended"), "\(found.errors)")
    try store.pull("--store", "store").expect(0, "Use major 2.")
    let check = try store.pull("--store", "store", "--check", "--json")
    #expect(check.errors.contains("my/1 has ended"))
    #expect(try check.json()["lifecycle"]?["message"]?.string == "Use major 2.")
  }

  /// No server is asked.
  @Test
  func
    `pull rejects options that exclude each other, a store of another major, a false root and a folder of other files`()
    throws
  {
    let store = try PulledStore(filled: ())
    func pull(_ options: String, model: String = "1.0", root: String = "seedbank/root.json") throws
      -> ProgramOutcome
    {
      try SeedbankBinary.run(
        ["pull", "http://127.0.0.1:9", "--dataset", "my", "--model", model, "--root", root]
          + options.split(separator: " ").map(String.init), in: store.folder.path)
    }
    for options in [
      "--bundle b --store s", "--bundle b --watch", "--bundle b --check", "--store s --check --watch",
      "--store s --check --verify", "",
    ] {
      let outcome = try pull(options).expect(64)
      #expect(outcome.output.isEmpty && !store.folder.exists("b"), "\(options)")
    }
    try pull("--store store", model: "2.0").expect(78, "is a store of my/1: give my/2 a directory")
    #expect(try store.doctor().output.contains("my/1: version 3"))
    try store.folder.write("{}", to: "mine.json")
    try pull("--store store", root: "mine.json").expect(78, "mine.json is not a publication's root")
    try store.folder.write("precious", to: "mine/notes.txt")
    try pull("--bundle mine").expect(74, "not a bundle of")
    #expect(try store.folder.text("mine/notes.txt") == "precious")
    try pull("--bundle seed").expect(69)
    #expect(store.folder.files.allSatisfy { !$0.hasPrefix("seed.") })
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
    try eventually("it asks the server") { asked.withLock(\.self) ? true : nil }
    #expect(store.folder.exists("seed.tmp"))
    #expect(try program.stop() == .exited(1))
    #expect(!store.folder.exists("seed.tmp"))
  }
}
