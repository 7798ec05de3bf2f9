import Support

/// A package that depends on this one as anyone's would, built beside it.
struct OutsidePackage {
  private let path: String
  private let name: String

  /// The package at `path`, which has a program of that name.
  init(_ path: String, program name: String) { (self.path, self.name) = (path, name) }

  /// Kept between runs, so that only what changed is built again. Each package has its own: in a shared one SwiftPM
  /// (6.3) leaves one package's program out after it has built the other's.
  private var build: String { "\(Readme.package)/.build/outside/\(name)" }

  /// Builds it; returns its program.
  func program() throws -> String {
    try Tool.run(["swift", "build", "--package-path", path, "--scratch-path", build])
    return "\(build)/debug/\(name)"
  }
}
