import SeedSystem

#if canImport(CCrypto)
import CCrypto
#endif

/// Keeps what a process knows out of files: for processes that hold keys.
package enum ProcessSecrets {
  /// Swift's crash reporter prints the memory to which registers point.
  private static let crashes = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGQUIT]

  /// No memory image is written when the process crashes, no report shows its memory, and other processes of the user cannot
  /// look into it.
  package static func guardMemory() {
    for number in crashes { signal(number, SIG_DFL) }
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    #if canImport(Glibc)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    #else
    setrlimit(RLIMIT_CORE, &none)
    #endif
    #if canImport(CCrypto)
    // The limit does not count where the kernel hands the image to a program.
    seedbank_forbid_dumps()
    #endif
  }
}
