/// A step of an update, and how far it has come.
public enum UpdatePhase: Sendable {
  /// It asks the server what is new.
  case checking
  /// Bytes arrive, of those that all files together have.
  case downloading(bytes: Int, totalBytes: Int)
  /// A snapshot is expanded and verified; the bytes are those of the file as it will be.
  case expanding(bytes: Int, totalBytes: Int)
  /// The snapshot's secondary indexes are built.
  case buildingIndexes
  /// Deltas change rows: how many so far, and how many of their bytes were read.
  case applying(rows: Int, bytes: Int, totalBytes: Int)
  /// The new file becomes the one that is read.
  case swapping
  /// All is done; this comes last.
  case finished(UpdateReport)

  /// How far the phase has come, from 0 to 1; `nil` where nobody knows.
  public var fractionCompleted: Double? {
    switch self {
    case .checking, .buildingIndexes, .swapping: nil
    case .downloading(let bytes, let total), .expanding(let bytes, let total),
      .applying(_, let bytes, let total):
      total > 0 ? min(Double(bytes) / Double(total), 1) : nil
    case .finished: 1
    }
  }
}
