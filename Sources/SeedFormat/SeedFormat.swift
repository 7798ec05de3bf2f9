// SeedFormat: the contract between publisher, front and client.
//
// Folders, lowest first: Values, JSON, Delta.
//
// Rules of this module:
// - Pure: no files, network or clock; bytes and values in, bytes and values out.
// - Modules never exchange datasets, models, series, versions and digests as a raw `String` or `Int`, only as the
//   types in Names.swift, which validate when built.
// - Writers are canonical: equal values give equal bytes. Readers reject malformed input and report its
//   byte offset or its path.
// - Every limit is in `Limits` with its unit.

/// The version of the command and the client library: the newest in CHANGELOG.md.
package enum Release { package static let version = "0.1.0" }

/// All limits of the formats, each with its unit.
public enum Limits {
  /// Characters in a dataset's name.
  public static let datasetNameLength = 48
  /// Largest major or minor of a model version; `user_version` is major × 1000 + minor.
  public static let modelNumber = 999
  /// Nesting depth of a JSON document.
  package static let jsonDepth = 64
  /// Largest integer that every JSON reader holds exactly: 2^53 − 1.
  package static let exactJSONInteger: Int64 = 9_007_199_254_740_991
  /// Bytes that a client reads of a metadata file whose signed length is unknown.
  package static let metadataBytes = 512 * 1024
  /// Bytes of a root file, which is read before its length can be verified.
  package static let rootBytes = 64 * 1024
  /// Root files read in one refresh, so that a hostile server cannot rotate forever.
  package static let rootRotations = 256
  /// Raw bytes of deltas in one response of `changes`. If deltas remain, the response's `more` is true.
  package static let changesPageBytes = 8 * 1024 * 1024
  /// Bytes of a published text or blob. To apply a delta that contains it, a device needs six times as much memory.
  package static let valueBytes = 64_000_000
  /// Bytes of a published file, compressed or not: 1 TiB, so that sums of lengths in signed metadata cannot overflow.
  package static let objectBytes = 1 << 40
  /// Raw bytes of one delta document.
  package static let deltaBytes = 2 * 1024 * 1024 * 1024
}
