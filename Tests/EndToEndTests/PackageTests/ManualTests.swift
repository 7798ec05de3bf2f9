import Foundation
import SeedSystem
import Support
import Testing

/// The manual pages of `Scripts/manual`, rendered by man.
@Suite struct ManualTests {
  private static func hasHelp2man() -> Bool {
    Stage.isDeep || (try? Tool.run(["sh", "-c", "command -v help2man"])) != nil
  }

  /// Renders a page for a terminal of 80 columns. Fails if groff or man warns.
  private func shown(_ path: String) throws -> String {
    let warnings = try Tool.run(
      ["sh", "-c", "man --warnings=w -E UTF-8 -l -Tutf8 -Z \"$0\" 2>&1 >/dev/null", path],
      environment: ["LC_ALL": "C.UTF-8"])
    #expect(warnings.isEmpty, "\(path): \(warnings)")
    let text = try Tool.run(
      ["sh", "-c", "man -E UTF-8 -l \"$0\" | col -bx", path],
      environment: ["MANWIDTH": "80", "LC_ALL": "C.UTF-8"])
    for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(path): \(line)") }
    return text
  }

  @Test(.full, .enabled(if: hasHelp2man(), "help2man is not here: Scripts/deps --package installs it"))
  func `every command has a page with its options and examples`() throws {
    let folder = try TemporaryFolder()
    try Tool.run(["\(Readme.package)/Scripts/manual", SeedbankBinary.path, folder.path])
    let pages = try FileManager.default.contentsOfDirectory(atPath: folder("man1"))
    let commands = try SeedbankBinary.commands()
    #expect(Set(pages) == Set(["seedbank.1"] + commands.map { "seedbank-\($0).1" }))
    for command in commands {
      let page = folder("man1/seedbank-\(command).1")
      let text = try shown(page)
      for line in try SeedbankBinary.help(command, "Options") {
        guard let option = line.prefixMatch(of: #/  (?:-., )?(--[a-z-]+(?: <[^>]+>)?)/#) else { continue }
        #expect(text.contains(option.output.1), "\(command)")
      }
      for line in try SeedbankBinary.help(command, "Examples") where line.hasPrefix("  seedbank") {
        #expect(text.contains(line.trimmingCharacters(in: .whitespaces)), "\(command)")
      }
      #expect(try Tool.run(["lexgrog", page]).contains("seedbank-\(command) - "))
    }
    let overview = try shown(folder("man1/seedbank.1"))
    #expect(overview.contains("\nEXIT STATUS\n") && overview.contains("\nENVIRONMENT\n"))
  }
}
