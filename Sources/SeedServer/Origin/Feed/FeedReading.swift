import SeedDatabase
import SeedImport
import SeedSystem

/// Reads one document of a feed.
struct FeedReading {
  private let file: FeedFile
  private let documents: FeedDocuments
  private let limit: Int

  /// Of the document at most so many bytes are read, expanded.
  init(_ file: FeedFile, _ documents: FeedDocuments, _ limit: Int) {
    (self.file, self.documents, self.limit) = (file, documents, limit)
  }

  /// Hands on all rows, and the bytes as they lie there; what is wrong with them is told with its place. Returns how many
  /// there were.
  @discardableResult
  func feed(
    to receiver: any RowReceiver, upTo most: Int = .max, passing: ([UInt8]) -> Void = { _ in }
  ) throws -> (rows: Int, bytes: Int) {
    var bytes = 0
    do {
      let rows = try DocumentRows(
        file.place, documents.layout(file), rows: documents.rows, for: receiver, upTo: most)
      let unpacker = DocumentUnpacker()
      let take = { (piece: [UInt8]) in
        bytes += piece.count
        guard bytes <= limit else { throw FeedError.tooLong(path: file.place, limit: limit) }
        try piece.withUnsafeBytes { try rows.feed($0) }
      }
      try file.read { piece in
        passing(piece)
        try unpacker.take(piece, take)
      }
      try unpacker.end(take)
      try rows.end()
      return (rows.count, bytes)
    } catch let error as ImportFailure {
      throw FeedError.document(error.message)
    } catch let error as CompressionError {
      throw FeedError.document("\(file.place): \(error)")
    }
  }
}
