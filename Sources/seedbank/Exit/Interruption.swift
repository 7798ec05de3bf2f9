import SeedSystem

/// A signal that ends the process, after what must not stay behind is gone.
enum Interruption {
  private static let number = Mutex<Int32?>(nil)

  /// From here on whatever fails, fails because of the signal.
  static func begin(_ signal: Int32) { number.withLock { $0 = signal } }

  /// Seconds after which the process ends by itself where the signal does not end it.
  private static let patience: UInt32 = 5

  /// Ends the process as if the signal had never been waited for, where one came.
  static func end() {
    guard let number = number.withLock(\.self) else { return }
    signal(number, SIG_DFL)
    // To the process, for threads of a pool block signals; the first thread that does not, ends it.
    kill(getpid(), number)
    sleep(patience)
    _exit(128 + number)
  }
}
