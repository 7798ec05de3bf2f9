import Foundation
import Support

/// Starts programs whose calendar is another one. faketime would move the deadlines of timers, too, with which a front that is
/// some hours ahead takes a whole core; and what it leaves in /dev/shm when it is killed is in the way of a later
/// process that gets the same number.
struct MovedClock {
  private let folder: TemporaryFolder
  private var library: String { folder("moved_clock.so") }

  static let secondsPerDay = 86_400

  /// Compiles the library; clang comes with the Swift toolchain.
  init() throws {
    folder = try TemporaryFolder()
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "moved_clock.c")
    try Tool.run(["clang", "-shared", "-fPIC", "-O1", "-o", library, source.path, "-ldl"])
  }

  /// For a program that is ahead by that, or behind where it is negative.
  func environment(seconds: Int) -> [String: String] {
    ["LD_PRELOAD": library, "SEEDBANK_CLOCK_SECONDS": "\(seconds)"]
  }

  /// What goes before a command, for as long as this clock is there.
  func words(seconds: Int) -> [String] {
    guard seconds != 0 else { return [] }
    return ["env"] + environment(seconds: seconds).map { "\($0)=\($1)" }
  }
}
