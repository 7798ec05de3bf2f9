internal import CMalloc

/// How the process gets its memory from the system.
enum ProcessMemory {
  /// Lets threads share few of malloc's arenas. glibc makes eight for each processor and gives a new thread the one that
  /// was used least. A publisher works on a new thread in each step, so in each arena in turn the most that any step
  /// needed stays, and the process grows for hours. The article of figures has the numbers. Threads seldom
  /// wait for each other, for each keeps some memory of its own.
  static func shareArenas() { seedbank_limit_arenas(arenas) }

  private static let arenas: Int32 = 2
}
