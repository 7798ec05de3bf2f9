import SeedSystem

/// Where an operator keeps the data, and what can be told of it without reading it all.
package protocol OriginPlace: Sendable {
  /// For messages, and different for every other place.
  var text: String { get }
  /// The file whose writing means that there may be something new; `nil` where no file tells.
  var watchedFile: String? { get }
  /// Makes it ready to be read, where that takes work of its own, for as long as that takes; called before the
  /// publication's lock is taken.
  func prepare() throws
  /// What it looks like from outside; `nil` where only reading tells whether anything changed.
  func stamp() throws -> (any OriginStamp)?
  /// Opens what is there now; waits that long for others who hold it.
  func open(waitSeconds: Int) throws -> any Origin
  /// As ``stamp()``, for who may open it right after.
  func look() throws -> OriginLook
}

/// How an origin looks, and the way to open it. The first to open it reads it through the session that looked, where there is
/// one; who opens it again gets a session of their own.
package struct OriginLook {
  /// `nil` where only reading tells whether anything changed.
  package let stamp: (any OriginStamp)?
  /// Opens what is there now; waits that long for others who hold it.
  package let open: (_ waitSeconds: Int) throws -> any Origin

  package init(stamp: (any OriginStamp)?, open: @escaping (_ waitSeconds: Int) throws -> any Origin) {
    (self.stamp, self.open) = (stamp, open)
  }
}

extension OriginPlace {
  /// Looking and opening have nothing in common.
  package func look() throws -> OriginLook {
    OriginLook(stamp: try stamp()) { try open(waitSeconds: $0) }
  }

  /// Nothing has to be done for what lies there ready.
  package func prepare() {}
}

/// What for somebody looks at an origin.
package enum OriginUse: Sendable {
  /// One step, asked for by somebody.
  case step
  /// Steps again and again, by one process.
  case schedule
  /// No step: nothing is started that others would notice.
  case look
}

/// How an origin looked from outside before it was read, so that an unchanged one need not be read again.
package protocol OriginStamp: Sendable {
  /// Equal for equal content.
  var text: String { get }
  /// Whether an equal stamp later on proves for good that nothing was written since.
  var isSettled: Bool { get }
  /// This stamp as it looks now, where a step can wait: the one that took it saw all that was written, and not long ago.
  func renewed() -> (any OriginStamp)?
  /// Seconds by which a replica was at most behind its primary; `nil` if the origin is no server, or cannot say.
  var lagSeconds: Int? { get }
  /// The database server that answered; `nil` if the origin is not one.
  var server: OriginServer? { get }
}

extension OriginStamp {
  /// Most origins are no replicas.
  package var lagSeconds: Int? { nil }

  package var server: OriginServer? { nil }
}

package enum OriginRest {
  /// Seconds after which a step runs though the origin looks the same: snapshots and signatures fall due.
  private static let seconds = 60

  /// A clock that was set back must not make it wait until then.
  package static func lasts(from then: Int, to now: Int) -> Bool { (0..<seconds).contains(now - then) }
}

/// Stands for an origin that nobody needs: all series are retired.
struct UnneededStamp: OriginStamp {
  private let takenAt = UTCTime.now().secondsSinceEpoch

  var text: String { "" }
  var isSettled: Bool { true }

  func renewed() -> (any OriginStamp)? {
    OriginRest.lasts(from: takenAt, to: UTCTime.now().secondsSinceEpoch) ? self : nil
  }
}
