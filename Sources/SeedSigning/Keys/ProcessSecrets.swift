import SeedSystem

#if canImport(CCrypto)
import CCrypto
#endif

/// Keeps a process's keys out of files.
package enum ProcessSecrets {
  /// Swift's crash reporter prints the memory that registers point to.
  private static let crashes = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGQUIT]

  /// Disables core dumps, reports with memory contents, and access to the memory by the user's other processes.
  package static func guardMemory() {
    for number in crashes { signal(number, SIG_DFL) }
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    #if canImport(Glibc)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    #else
    setrlimit(RLIMIT_CORE, &none)
    #endif
    #if canImport(CCrypto)
    // The limit has no effect if the kernel pipes the core dump to a program.
    seedbank_forbid_dumps()
    #endif
  }
}
