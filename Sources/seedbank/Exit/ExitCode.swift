/// What the process's end says to a script; the numbers above 1 are those of sysexits.h.
enum ExitCode: Int32, Sendable, CaseIterable {
  case success = 0
  case failure = 1
  /// The command line is wrong.
  case usage = 64
  /// The data is wrong, or a publication is held back because of it.
  case badData = 65
  /// The origin or the server does not answer.
  case unavailable = 69
  /// A disk or a stream failed.
  case inputOutput = 74
  /// Another process holds the lock: trying again later may do.
  case locked = 75
  case configuration = 78

  /// As scripts read it.
  var word: String { "\(self)" }
}
