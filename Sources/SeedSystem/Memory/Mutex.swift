// The one lock for memory is the standard library's. Apple's systems have it only from iOS 18 and macOS 15 on. And its code
// is invisible to the thread sanitizer (Swift 6.3 on Linux), which reports every right use by two threads as a race. So
// there, and in a build for that (`-Xswiftc -DTHREAD_SANITIZER`), one of the system's stands in. So that each file has the
// same one, they import it from here.
#if !THREAD_SANITIZER && !canImport(Darwin)
@_exported public import struct Synchronization.Mutex
#else
/// Synchronization's `Mutex`, made of the system's.
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
