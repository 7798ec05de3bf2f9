import SeedFormat

#if canImport(os)
import os
#endif

/// A log entry for the app's developers: opened data, finished updates, and failures.
public struct SeedLogEntry: Hashable, Sendable, CustomStringConvertible {
  /// The importance of an entry.
  public enum Level: String, Hashable, Sendable {
    case info
    /// A failure; the existing data stays intact.
    case error
  }

  /// The importance of the entry.
  public let level: Level
  /// The series that the entry is about.
  public let series: SeedSeries
  /// One sentence.
  public let message: String

  /// `transit/2: reads version 42, downloaded, in …`.
  public var description: String { "\(series): \(message)" }
}

struct SeedLog: Sendable {
  private let series: SeedSeries
  private let write: @Sendable (SeedLogEntry) -> Void

  init(_ series: SeedSeries, _ write: @escaping @Sendable (SeedLogEntry) -> Void) {
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
