/// Secret bytes in memory of their own: kept out of the swap where the system allows it, and wiped when they go. An
/// array would not do: it may be copied, and what it leaves behind is not wiped.
package final class SecretBytes: @unchecked Sendable {
  /// Pages of their own: a lock holds for whole pages, and giving back one must not unlock another's.
  private let pages: UnsafeMutableRawBufferPointer
  package let count: Int

  /// Memory of `count` bytes, which `fill` writes before anybody else sees it; fails where `fill` does.
  package init<Failure: Error>(
    count: Int, fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    self.count = count
    pages = .allocate(byteCount: (count + page - 1) / page * page, alignment: page)
    pages.initializeMemory(as: UInt8.self, repeating: 0)
    // A limit on locked memory is no reason to do without the key.
    _ = mlock(pages.baseAddress, pages.count)
    try fill(UnsafeMutableRawBufferPointer(rebasing: pages[..<count]))
  }

  deinit {
    Self.wipe(pages)
    munlock(pages.baseAddress, pages.count)
    pages.deallocate()
  }

  /// Lends the bytes; they must not be copied.
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(rebasing: pages[..<count]))
  }

  /// A plain loop may be left out by the compiler, since nobody reads the memory again.
  private static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
    guard let start = memory.baseAddress else { return }
    #if canImport(Darwin)
    memset_s(start, memory.count, 0, memory.count)
    #else
    explicit_bzero(start, memory.count)
    #endif
  }
}
