import SeedSystem

/// What this process has used of the processor, in its own code and in the kernel's.
enum ProcessorTime {
  private static let clock = CLOCK_PROCESS_CPUTIME_ID

  static func seconds() -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
