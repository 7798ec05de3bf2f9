import Foundation
import SeedSystem
import Support
import Testing

/// SQL in a signed seed has no effect in any command, on the operator's machine or a device.
@Suite struct HostileSeedTests {
  private let scene: HostilePublication

  init() throws { scene = try HostilePublication() }

  @Test func `SQL in a signed seed changes no file, and each command ends`() throws {
    let nothing = HostileText(description: "nothing", sql: "SELECT 1")
    #expect(try statuses(nothing).filter { $0.value != 0 } == [:])
    let texts = Stage.pick(quick: HostileText.few, full: HostileText.all, deep: HostileText.all)
    var (rejected, slowest) = (0, (seconds: 0.0, name: ""))
    for text in texts {
      let start = ContinuousClock.now
      if try statuses(text)["verify"] != 0 { rejected += 1 }
      let seconds = (ContinuousClock.now - start) / .seconds(1)
      if seconds > slowest.seconds { slowest = (seconds, text.description) }
    }
    // Otherwise the attack did not reach its place.
    #expect(rejected > texts.count / 2)
    print(
      "\(texts.count) hostile texts, \(rejected) rejected; all commands took \(slowest.seconds) s for \(slowest.name)"
    )
  }

  private func commands(_ snapshot: String) -> [(name: String, words: [String], made: [String])] {
    [
      ("verify", ["verify"], []), ("diff of versions", ["diff", "1", "4"], []),
      ("diff of files", ["diff", "sound.sqlite", snapshot], []),
      ("rollback", ["rollback", "--to", "1", "--dry-run"], []),
      ("regenerate", ["regenerate", "--dry-run"], []),
      ("export", ["export", "--to", "exported.sqlite"], ["exported.sqlite"]),
      ("pull", scene.pull + ["--store", "store"], ["store"]),
      ("pull --bundle", scene.pull + ["--bundle", "bundle"], ["bundle"]),
      ("doctor", ["doctor", "device"], []),
      (
        "follow", ["follow", scene.host.address, "--root", "seedbank/root.json", "--to", "copy", "--once"],
        ["copy"]
      ), ("recover", ["recover", "--from", scene.host.address], []),
    ]
  }

  private func statuses(_ text: HostileText) throws -> [String: Int32] {
    let snapshot = try scene.publish(text)
    let before = try guarded()
    var found: [String: Int32] = [:]
    for command in commands(snapshot) {
      for name in ["publication", "state"] { try Folder.removeAll(scene.folder("second/seedbank/\(name)")) }
      let place = command.name == "recover" ? scene.folder("second") : scene.folder.path
      // A command that does not end by itself is an error.
      let outcome = try SeedbankBinary.run(command.words, in: place)
      let label = "\(command.name), \(text): \(outcome)"
      found[command.name] = outcome.status
      if outcome.status != 0 {
        let told = outcome.output + outcome.errors
        #expect(["snapshot-", "my/1", "generations/"].contains(where: told.contains), "\(label)")
      }
      guard case .exited = outcome.ending else {
        Issue.record("\(label)")
        continue
      }
      for made in command.made where scene.folder.exists(made) {
        try Folder.removeAny(scene.folder(made))
      }
      #expect(try guarded() == before, "\(label)")
    }
    return found
  }

  /// The names in both working directories, and the content of the files that no command may touch.
  private func guarded() throws -> [String: Data] {
    var found: [String: Data] = [:]
    for folder in [scene.folder.path, scene.folder("second")] {
      for name in try Folder.names(in: folder) {
        let isRead = name.hasSuffix(".sqlite")
        found["\(folder)/\(name)"] =
          isRead ? try Data(contentsOf: URL(filePath: "\(folder)/\(name)")) : Data()
      }
    }
    return found
  }
}
