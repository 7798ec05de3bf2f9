import Foundation
import Support

/// A copy of the package as a newcomer would clone it, and an app beside it.
///
/// It is kept in .build, so that the next run builds only the changes.
struct NewcomersClone {
  /// Named as in the README's app.
  let path = "\(Readme.package)/.build/readme/seedbank"
  let app = "\(Readme.package)/.build/readme/app"
  /// The data folder of the app's library.
  let dataHome = "\(Readme.package)/.build/readme/data"

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for folder in ["Config", "Examples", "Public", "Scripts", "Sources", "Tests", "seedbank"] {
      try Tool.run(["rm", "-rf", "\(path)/\(folder)"])
    }
    // Keeps times, because SwiftPM rebuilds files that look newer.
    let names = ["Package.swift", "README.md", "Config", "Examples", "Public", "Scripts", "Sources", "Tests"]
    try Tool.run(["cp", "-a"] + names.map { "\(Readme.package)/\($0)" } + [path])
    try Tool.run(["rm", "-rf", dataHome, "\(path)/my.sqlite"])
  }

  var database: String { "\(path)/my.sqlite" }

  /// The seconds that a build from nothing may take on a slow machine.
  private static let buildPatience = TimeInterval(1500)

  /// Starts the README's commands, and waits until the last one serves, on a free port instead of 8080.
  func followReadme() throws -> TestProgram {
    try Tool.run(["rm", "-rf", "\(path)/seedbank", dataHome])
    let script = "\(path)/commands.sh"
    try Readme.block("sh", containing: "init my.sqlite").write(
      toFile: script, atomically: false, encoding: .utf8)
    return try NestedBuild.alone {
      let server = try TestProgram(
        ["bash", "-e", script], in: path, environment: ["SEEDBANK_HTTP_PORT": "0"], joined: true)
      try server.waits(for: "listening on http://127.0.0.1:", within: Self.buildPatience)
      return server
    }
  }

  /// Builds the README's program against the clone with the generated models.
  func buildApp(for server: URL) throws {
    let sources = "\(app)/Sources/app"
    try FileManager.default.createDirectory(atPath: sources, withIntermediateDirectories: true)
    try Self.manifest.write(toFile: "\(app)/Package.swift", atomically: false, encoding: .utf8)
    try Readme.block("swift", containing: "import SeedClient")
      .replacing("http://127.0.0.1:8080", with: server.absoluteString)
      .write(toFile: "\(sources)/main.swift", atomically: false, encoding: .utf8)
    try Tool.run(["cp", "\(path)/SeedModels.swift", sources])
    try NestedBuild.swift(["build"], in: app)
  }

  /// Starts the README's program with line buffering, as in a terminal.
  func startApp() throws -> TestProgram {
    try TestProgram(
      ["stdbuf", "-oL", "\(app)/.build/debug/app", "\(path)/seedbank/root.json"], in: app,
      environment: ["XDG_DATA_HOME": dataHome], joined: true)
  }

  private static let manifest = """
    // swift-tools-version: 6.2
    import PackageDescription

    let package = Package(
      name: "app",
      platforms: [.macOS(.v14), .iOS(.v17)],
      dependencies: [.package(path: "../seedbank")],
      targets: [
        .executableTarget(name: "app", dependencies: [.product(name: "SeedClient", package: "seedbank")])
      ])

    """
}
