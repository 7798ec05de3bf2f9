/// An update's phase and progress.
public enum UpdatePhase: Sendable {
  /// Asking the server for news.
  case checking
  /// Downloading; `totalBytes` is the sum of all files.
  case downloading(bytes: Int, totalBytes: Int)
  /// Expanding and verifying a snapshot; bytes are those of the expanded file.
  case expanding(bytes: Int, totalBytes: Int)
  /// Building the snapshot's secondary indexes.
  case buildingIndexes
  /// Applying deltas: rows changed so far, and bytes of the deltas read.
  case applying(rows: Int, bytes: Int, totalBytes: Int)
  /// Making the new file current.
  case swapping
  /// The last phase.
  case finished(UpdateReport)

  /// The phase's progress from 0 to 1; `nil` if unknown.
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
