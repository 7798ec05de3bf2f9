package import SeedPublication
import SeedSystem

/// The location of an operator's data. It can detect changes without reading rows.
package protocol OriginPlace: Sendable {
  /// Identifies the place. Used in messages.
  var text: String { get }
  /// A file whose changes may mean new rows; `nil` if there is no such file.
  var watchedFile: String? { get }
  /// Returns this place for reading the rows of these plans.
  func reading(_ plans: [SeriesPlan]) -> any OriginPlace
  /// Does any slow preparation before the publication's lock is taken.
  func prepare() throws
  /// Detects changes without reading rows. May keep a session open for the read that follows.
  func look() throws -> OriginLook
  /// Opens the current state. Waits up to `waitSeconds` for locks.
  func open(waitSeconds: Int) throws -> any Origin
}

/// An origin's stamp and the `open` function, whose first call reuses the stamp's session, if there is one.
package typealias OriginLook = (stamp: any OriginStamp, open: (_ waitSeconds: Int) throws -> any Origin)

extension OriginPlace {
  package func prepare() {}

  /// Most places do not depend on plans.
  package func reading(_ plans: [SeriesPlan]) -> any OriginPlace { self }
}

package enum OriginUse: Sendable {
  case step
  /// Repeated steps in one process.
  case schedule
  /// An inspection that starts no program and waits for no other process.
  case look
}

/// An origin's external state before a read. An unchanged origin need not be read again.
package protocol OriginStamp: Sendable {
  /// A text that changes with the content. It may also change while the content stays the same.
  var text: String { get }
  /// Whether an equal stamp taken later proves that nothing was written in between.
  var isSettled: Bool { get }
  /// Returns the stamp for the next check if the origin is provably unchanged and no step is due.
  func renewed() -> (any OriginStamp)?
  /// The maximum lag of a replica; `nil` if the origin is not a replica or its lag is unknown.
  var lagSeconds: Int? { get }
  /// The database server that answered; `nil` if the origin is not a server.
  var server: OriginServer? { get }
}

extension OriginStamp {
  package var lagSeconds: Int? { nil }

  package var server: OriginServer? { nil }
}

package enum OriginRest {
  /// The interval at which even an unchanged origin gets a step, because snapshots and signatures become due.
  private static let seconds = 60

  /// A clock that was set back must not prolong the interval.
  package static func lasts(from then: Int, to now: Int) -> Bool { (0..<seconds).contains(now - then) }
}

/// The stamp of an origin that is not read, because all series are retired.
struct UnneededStamp: OriginStamp {
  private let takenAt = UTCTime.now().secondsSinceEpoch

  var text: String { "" }
  var isSettled: Bool { true }

  func renewed() -> (any OriginStamp)? {
    OriginRest.lasts(from: takenAt, to: UTCTime.now().secondsSinceEpoch) ? self : nil
  }
}
