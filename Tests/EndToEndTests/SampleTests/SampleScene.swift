import Foundation
import Support

/// The sample app on a simulated device, and the demo's publisher.
final class SampleScene {
  private(set) var road: DemoRoad
  private let program: String

  static let dead = "http://127.0.0.1:9"

  init() throws {
    let sample = "\(Readme.package)/Examples/timetable"
    program = try OutsidePackage(sample, program: "timetable").program()
    road = try DemoRoad(seed: 21, trips: 20)
    try ship()
  }

  func ship() throws {
    let server = try front()
    try road.folder.succeed(
      "pull", server.address, "--dataset", "transit", "--model", "2.1", "--root", road.root, "--bundle",
      "shipped")
    _ = server.stop()
  }

  func front() throws -> RunningSeedbank {
    try RunningSeedbank(["serve", "--config", road.config, "--port", "0"], in: road.folder.path)
  }

  func app(
    _ words: String..., server: String = dead, environment: [String: String] = [:]
  ) throws -> String {
    try Tool.run([program] + arguments(server) + words, environment: environment)
  }

  func forget() throws { try Tool.run(["rm", "-rf", road.folder("device")]) }

  func watch(server: String) throws -> TestProgram {
    try TestProgram([program] + arguments(server) + ["watch"], in: road.folder.path, joined: true)
  }

  func publish(_ sql: String, snapshot: Bool = false) throws {
    try Tool.sqlite(road.origin, sql)
    try road.publish(snapshot: snapshot)
  }

  func someStop() throws -> String {
    try Tool.sqlite(
      road.origin, "SELECT name FROM stop WHERE id = (SELECT min(stop_id) FROM stop_time WHERE position = 1);"
    ).trimmingCharacters(in: .newlines)
  }

  private func arguments(_ server: String) -> [String] {
    ["--seed", road.folder("shipped"), "--server", server, "--data", road.folder("device")]
  }
}

/// A package that depends on this one, built beside it.
struct OutsidePackage {
  private let path: String
  private let name: String

  init(_ path: String, program name: String) { (self.path, self.name) = (path, name) }

  /// The build folder, kept so that only changes are built again. It is not shared, because SwiftPM 6.3 confuses the
  /// plans of packages in one folder and then omits or misses a program.
  private var build: String { "\(Readme.package)/.build/outside/\(name)" }

  func program() throws -> String {
    try swift("build")
    return "\(build)/debug/\(name)"
  }

  func test() throws -> String { try swift("test", "--disable-xctest") }

  @discardableResult
  private func swift(_ arguments: String...) throws -> String {
    try NestedBuild.swift(arguments + ["--package-path", path, "--scratch-path", build])
  }
}
