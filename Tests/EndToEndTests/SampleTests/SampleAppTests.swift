import Foundation
import Support
import Testing

/// An app that ships a bundle, follows a server, and keeps its user's favourites.
@Suite(.serialized, .full) struct SampleAppTests {
  @Test func `the app works from its first start, follows its server, and never loses a favourite`() throws {
    let scene = try SampleScene()
    let stop = try scene.someStop()
    #expect(try scene.app("favourite", stop) == "\(stop) is a favourite\n")
    #expect(try scene.app("favourite", "Nowhere at all") == "there is no stop Nowhere at all\n")
    #expect(try scene.app("board").contains("  \(stop): "))

    let server = try scene.front()
    let app = try scene.watch(server: server.address)
    try app.waits(for: "  \(stop): ")
    let renamed = "Renamed while it runs"
    try scene.publish("UPDATE stop SET name = '\(renamed)' WHERE name = '\(stop)';")
    try app.waits(for: "  \(renamed): ")
    app.end()
    #expect(try scene.app("board").contains("  \(renamed): "))

    // A later update of the app has a bundle that is newer than the data on the device, which has no network.
    let again = "Renamed in the new bundle"
    try scene.publish("UPDATE stop SET name = '\(again)' WHERE name = '\(renamed)';", snapshot: true)
    try scene.ship()
    #expect(try scene.app("board").contains("  \(again): "))
    #expect(server.stop() == 0)
  }

  @Test func `a favourite whose stop was deleted is kept and marked`() throws {
    let scene = try SampleScene()
    let stop = try scene.someStop()
    _ = try scene.app("favourite", stop)
    let ids = "(SELECT id FROM stop WHERE name = '\(stop)')"
    try scene.publish("DELETE FROM stop_time WHERE stop_id IN \(ids); DELETE FROM stop WHERE id IN \(ids);")
    try scene.publish("UPDATE line SET color = '000000';", snapshot: true)
    try scene.ship()
    #expect(try scene.app("board").contains("\(stop) (not served any more): "))
  }

  @Test func `the app's model equals the output of config swift`() throws {
    let road = try DemoRoad(seed: 21, trips: 1)
    let printed = try road.folder.succeed("config", "swift", "--config", road.config)
    let source = try String(
      contentsOfFile: "\(Readme.package)/Examples/timetable/Sources/timetable/SeedModels.swift",
      encoding: .utf8)
    func declaration(_ text: String) -> Substring {
      text[(text.range(of: "import SeedClient")?.lowerBound ?? text.endIndex)...]
    }
    #expect(declaration(source) == declaration(printed))
  }
}

/// An app that is tested with the public test library.
@Suite(.serialized, .full) struct SecondAppTests {
  @Test func `the second app's tests pass with the public interface`() throws {
    let sample = "\(Readme.package)/Examples/departures"
    let output = try OutsidePackage(sample, program: "departures-board").test()
    #expect(output.contains("Test run with 4 tests in 1 suite passed"), "\(output)")
  }

  @Test func `the second app reports that its server cannot be reached`() throws {
    let folder = try TemporaryFolder()
    try Tool.sqlite(folder("my.sqlite"), "CREATE TABLE departure(id INTEGER PRIMARY KEY);")
    try folder.succeed("init", "my.sqlite")
    let sample = "\(Readme.package)/Examples/departures"
    let program = try OutsidePackage(sample, program: "departures-board").program()
    let app = try TestProgram(
      [program, SampleScene.dead, folder("seedbank/root.json"), "Alex"], in: folder.path,
      environment: ["HOME": folder.path, "XDG_DATA_HOME": folder.path], joined: true)
    defer { app.end() }
    try app.waits(for: SampleScene.dead)
  }
}
