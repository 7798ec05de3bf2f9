import SeedSystem

/// The processor time of this process in user and kernel mode.
enum ProcessorTime {
  private static let clock = CLOCK_PROCESS_CPUTIME_ID

  static func seconds() -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
