import Foundation

/// A package that depends on this one as anyone's would, built beside it.
struct OutsidePackage {
  private let path: String

  /// Kept between runs, so that only what changed is built again, and shared: the library is built once.
  static let build = "\(Readme.package)/.build/outside"

  init(_ path: String) { self.path = path }

  /// Builds it; returns the folder of its programs.
  func built() throws -> String {
    try Tool.run(["swift", "build", "--package-path", path, "--scratch-path", Self.build])
    return "\(Self.build)/debug"
  }
}
