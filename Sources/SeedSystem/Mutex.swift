// The standard library's Mutex requires iOS 18 or macOS 15. On Linux (Swift 6.3), the thread sanitizer does not
// see inside it and reports false races. So Apple builds, and builds with `-Xswiftc -DTHREAD_SANITIZER`, use a
// pthread mutex. Import Mutex from this module, so that all files use the same one.
#if !THREAD_SANITIZER && !canImport(Darwin)
@_exported public import struct Synchronization.Mutex
#else
/// Synchronization's `Mutex`, made from a pthread mutex.
package struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  private let box: Box

  private final class Box {
    let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    var value: Value

    init(_ value: consuming sending Value) {
      self.value = value
      lock.initialize(to: pthread_mutex_t())
      pthread_mutex_init(lock, nil)
    }

    deinit {
      pthread_mutex_destroy(lock)
      lock.deallocate()
    }
  }

  package init(_ value: consuming sending Value) { box = Box(value) }

  package borrowing func withLock<Result: ~Copyable, Failure>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(box.lock)
    defer { pthread_mutex_unlock(box.lock) }
    return try body(&box.value)
  }

  package borrowing func withLockIfAvailable<Result: ~Copyable, Failure>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result? {
    guard pthread_mutex_trylock(box.lock) == 0 else { return nil }
    defer { pthread_mutex_unlock(box.lock) }
    return try body(&box.value)
  }
}
#endif
