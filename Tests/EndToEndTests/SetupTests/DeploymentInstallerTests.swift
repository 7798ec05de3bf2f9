import Support
import Testing

import struct Foundation.Data
import class Foundation.FileManager

@testable import seedbank

@Suite struct DeploymentInstallerTests {
  let folder: SetupFolder

  init() throws { folder = try SetupFolder() }

  private struct Accident: Error {}

  private func installer(_ directory: String) -> DeploymentInstaller {
    let directory = folder.file(directory)
    return DeploymentInstaller(draft: DemoDeployment.draft(in: directory), extraEntries: ["extra"])
  }

  @Test(arguments: ["new", "new/below/it", "."])
  func `a failed installation leaves no files`(directory: String) throws {
    try folder.sqlite("mine.sqlite", "CREATE TABLE t(id)")
    #expect(throws: Accident.self) {
      try installer(directory).install(delegating: []) { staging in
        try DraftedFile(path: "\(staging)/half", text: "x").write()
        throw Accident()
      }
    }
    #expect(folder.files == ["mine.sqlite"])
  }

  @Test func `a file created by another process during the installation is not overwritten`() throws {
    try folder.sqlite("mine.sqlite", "CREATE TABLE t(id)")
    #expect(throws: CommandFailure.self) {
      try installer(".").install(delegating: []) { _ in
        try DraftedFile(path: folder.file("seedbank.json"), text: "theirs").write()
      }
    }
    #expect(folder.files == ["mine.sqlite", "seedbank.json"])
    #expect(try folder.text("seedbank.json") == "theirs")
  }

  @Test func `a move that fails halfway is undone`() throws {
    try folder.sqlite("mine.sqlite", "CREATE TABLE t(id)")
    // The extra entry is announced but never made, and it is not the first one to move.
    let draft = DemoDeployment.draft(in: folder.path)
    let installer = DeploymentInstaller(draft: draft, extraEntries: ["made", "never-made"])
    #expect(throws: (any Error).self) {
      try installer.install(delegating: []) { staging in
        try DraftedFile(path: "\(staging)/made", text: "x").write()
      }
    }
    #expect(folder.files == ["mine.sqlite"])
  }
}

extension DraftedFile {
  fileprivate func write() throws {
    guard FileManager.default.createFile(atPath: path, contents: Data(text.utf8)) else {
      throw CommandFailure(.inputOutput, path)
    }
  }
}
