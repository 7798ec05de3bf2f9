import SeedFormat

#if canImport(os)
import os
#endif

/// What a store tells its app's developers: what it reads, what updates did, and what went wrong.
public struct SeedLogEntry: Hashable, Sendable, CustomStringConvertible {
  /// How much an entry matters.
  public enum Level: String, Hashable, Sendable {
    /// All is well.
    case info
    /// Something failed; the data that was there before is still there.
    case error
  }

  /// How much it matters.
  public let level: Level
  /// The data that it is about.
  public let series: Series
  /// One sentence.
  public let message: String

  /// `transit/2: reads version 42, downloaded, in …`.
  public var description: String { "\(series): \(message)" }
}

/// Where a store's entries go.
struct SeedLog: Sendable {
  private let series: Series
  private let write: @Sendable (SeedLogEntry) -> Void

  init(_ series: Series, _ write: @escaping @Sendable (SeedLogEntry) -> Void) {
    (self.series, self.write) = (series, write)
  }

  func info(_ message: String) { write(SeedLogEntry(level: .info, series: series, message: message)) }

  func error(_ message: String) { write(SeedLogEntry(level: .error, series: series, message: message)) }

  #if canImport(os)
  private static let logger = Logger(subsystem: "seedbank", category: "SeedStore")

  static let toSystem: @Sendable (SeedLogEntry) -> Void = { entry in
    logger.log(level: entry.level == .error ? .error : .info, "\(entry.description, privacy: .public)")
  }
  #else
  static let toSystem: @Sendable (SeedLogEntry) -> Void = { _ in }
  #endif
}
