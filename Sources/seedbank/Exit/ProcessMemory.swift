internal import CMalloc

enum ProcessMemory {
  /// Limits malloc's arenas. glibc creates eight per processor and gives a new thread the least used one. A publisher
  /// uses a new thread in each step, so every arena in turn would keep the peak of a step, and the process would grow
  /// for hours (see the article of figures). Threads seldom contend, because each caches some memory.
  static func shareArenas() { seedbank_limit_arenas(arenas) }

  private static let arenas: Int32 = 2
}
