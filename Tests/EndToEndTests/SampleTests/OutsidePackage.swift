import Foundation
import Support

/// A package that depends on this one, built beside it.
struct OutsidePackage {
  private let path: String
  private let name: String

  init(_ path: String, program name: String) { (self.path, self.name) = (path, name) }

  /// The build folder, kept so that only changes are built again. It is not shared, because SwiftPM 6.3 confuses the
  /// plans of packages in one folder and then omits or misses a program.
  private var build: String { "\(Readme.package)/.build/outside/\(name)" }

  /// Builds the package and returns the path of its program.
  func program() throws -> String {
    _ = try swift("build")
    return "\(build)/debug/\(name)"
  }

  /// Builds the package and runs its tests; throws if one fails.
  func test() throws -> String { try swift("test", "--disable-xctest") }

  private func swift(_ arguments: String...) throws -> String {
    try FileManager.default.createDirectory(
      atPath: "\(Readme.package)/.build/outside", withIntermediateDirectories: true)
    // Suites in other processes build the same package, and SwiftPM fails if it finds its database locked.
    return try Tool.run(
      ["flock", "\(build).lock", "swift"] + arguments + ["--package-path", path, "--scratch-path", build],
      within: 900)
  }
}
