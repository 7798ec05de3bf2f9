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
  /// Bytes of a metadata file that a client reads before it knows a signed length.
  package static let metadataBytes = 512 * 1024
  /// Bytes of a root file, which is read before its length can be verified.
  package static let rootBytes = 64 * 1024
  /// Root files followed by one refresh, so that a hostile server cannot rotate forever.
  package static let rootRotations = 256
  /// Raw bytes of deltas in one response of `changes`, which then has `more`.
  package static let changesPageBytes = 8 * 1024 * 1024
  /// Raw bytes of one delta document.
  package static let deltaBytes = 2 * 1024 * 1024 * 1024
}
