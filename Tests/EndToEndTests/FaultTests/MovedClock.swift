/// Starts programs with another calendar time. faketime would also move the deadlines of timers, so that a front some
/// hours ahead uses a whole core, and its files in /dev/shm, left by a killed process, break a later process with the
/// same id.
struct MovedClock {
  private let library: String

  static let secondsPerDay = 86_400

  init() throws { library = try PreloadedLibrary.path("moved_clock") }

  /// Returns variables for a program that is ahead, or behind if `seconds` is negative.
  func environment(seconds: Int) -> [String: String] {
    ["LD_PRELOAD": library, "SEEDBANK_CLOCK_SECONDS": "\(seconds)"]
  }

  func words(seconds: Int) -> [String] {
    guard seconds != 0 else { return [] }
    return ["env"] + environment(seconds: seconds).map { "\($0)=\($1)" }
  }
}
