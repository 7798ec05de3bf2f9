import Foundation
import SeedSystem
import Support

/// Builds by tests, one after the other, because each takes all processors.
enum NestedBuild {
  /// Maximum seconds of a clean build on a slow machine, and of the wait for other tests' builds.
  private static let (patience, turnPatience): (TimeInterval, TimeInterval) = (900, 1500)

  /// Runs `swift` while no other test builds.
  @discardableResult
  static func swift(_ arguments: [String], in folder: String? = nil) throws -> String {
    try alone { try Tool.run(["swift"] + arguments, in: folder, within: patience) }
  }

  /// Calls `build` while no test of this process or of another one builds. The time until then does not count as its time.
  static func alone<Result>(_ build: () throws -> Result) throws -> Result {
    let lock = try File("\(Readme.package)/.build/nested.lock", for: .updating)
    try eventually("no other test builds", within: turnPatience, every: 1) { try lock.tryLock() ? true : nil }
    return try withExtendedLifetime(lock, build)
  }
}
