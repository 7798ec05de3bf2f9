import Support

/// A package that depends on this one as anyone's would, built beside it.
struct OutsidePackage {
  private let path: String
  private let name: String

  /// The package at `path`, which has a program of that name.
  init(_ path: String, program name: String) { (self.path, self.name) = (path, name) }

  /// Kept between runs, so that only what changed is built again. Each package has its own: in a shared one SwiftPM
  /// (6.3) takes one package's plan for another's, and leaves its program out or does not find it.
  private var build: String { "\(Readme.package)/.build/outside/\(name)" }

  /// Builds it; returns its program.
  func program() throws -> String {
    _ = try swift("build")
    return "\(build)/debug/\(name)"
  }

  /// Builds it and runs its own tests; throws where one fails.
  func test() throws -> String { try swift("test", "--disable-xctest") }

  private func swift(_ arguments: String...) throws -> String {
    try Tool.run(["swift"] + arguments + ["--package-path", path, "--scratch-path", build], within: 900)
  }
}
