import SeedSystem

#if canImport(CCrypto)
import CCrypto
#endif

/// Secret bytes, which are wiped on release and excluded from swap if the system allows it. An array does not
/// suffice: it may be copied, and freed copies are not wiped.
final class SecretBytes: @unchecked Sendable {
  /// Whole pages, because locks apply to pages, and unlocking one secret must not unlock another.
  private let pages: UnsafeMutableRawBufferPointer
  let count: Int

  init<Failure: Error>(
    count: Int, fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    self.count = count
    pages = .allocate(byteCount: (count + page - 1) / page * page, alignment: page)
    pages.initializeMemory(as: UInt8.self, repeating: 0)
    // Ignores errors: if the limit on locked memory is reached, the key is still usable.
    _ = mlock(pages.baseAddress, pages.count)
    try fill(UnsafeMutableRawBufferPointer(rebasing: pages[..<count]))
  }

  deinit {
    // The compiler may remove a plain loop, because the memory is not read again.
    if let start = pages.baseAddress {
      #if canImport(Darwin)
      memset_s(start, pages.count, 0, pages.count)
      #else
      explicit_bzero(start, pages.count)
      #endif
    }
    munlock(pages.baseAddress, pages.count)
    pages.deallocate()
  }

  /// Lends the bytes, which must not be copied.
  func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result { try body(UnsafeRawBufferPointer(rebasing: pages[..<count])) }
}

/// Keeps a process's keys out of files.
package enum ProcessSecrets {
  /// The signals that Swift's crash reporter handles; it prints the memory that registers point to.
  private static let crashes = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGQUIT]

  /// Disables core dumps, crash reports with memory contents, and access to the memory by the user's other processes.
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
