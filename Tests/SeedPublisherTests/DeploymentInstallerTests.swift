import Foundation
import SeedFormat
import SeedPublication
import SeedSystem
import Support
import Testing

@testable import SeedPublisher

@Suite struct DeploymentInstallerTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    try write("mine.sqlite", "rows")
  }

  private struct Accident: Error {}

  private func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: folder(name)))
  }

  private var files: [String] {
    get throws { try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() }
  }

  private func install(
    in directory: String, _ extraEntries: [String] = ["extra"], fill: @escaping (String) throws -> Void
  ) throws {
    let draft = DeploymentDraft(
      "shop", in: folder(directory), [model("1.0", "CREATE TABLE shop(id INTEGER PRIMARY KEY)")],
      knownOrigin: nil, notes: [], lifetimeSeconds: 3600, settings: (deployment: "{}", dataset: "{}"))
    try DeploymentInstaller(draft, extraEntries: extraEntries, fill: fill).install(delegating: [])
  }

  @Test(arguments: ["new", "new/below/it", "."])
  func `a failed installation leaves no files`(directory: String) throws {
    #expect(throws: Accident.self) {
      try install(in: directory) { staging in
        try DurableFile.write([], to: "\(staging)/half")
        throw Accident()
      }
    }
    #expect(try files == ["mine.sqlite"])
  }

  @Test(arguments: ["new", "."])
  func `an installation whose files a signal removes leaves no part of them`(directory: String) throws {
    #expect(throws: CancellationError.self) {
      try install(in: directory) { staging in
        try DurableFile.write([], to: "\(staging)/extra")
        StagedFolders.removeAll()
      }
    }
    #expect(try files == ["mine.sqlite"])
  }

  @Test func `a file created by another process during the installation is not overwritten`() throws {
    #expect(throws: Refusal.self) {
      try install(in: ".") { _ in try write("seedbank.json", "theirs") }
    }
    #expect(try files == ["mine.sqlite", "seedbank.json"])
    #expect(try String(contentsOfFile: folder("seedbank.json"), encoding: .utf8) == "theirs")
  }

  @Test func `a move that fails halfway is undone`() throws {
    // The second entry is announced but never made.
    #expect(throws: FileError.self) {
      try install(in: ".", ["made", "never-made"]) { try DurableFile.write([], to: "\($0)/made") }
    }
    #expect(try files == ["mine.sqlite"])
  }
}
