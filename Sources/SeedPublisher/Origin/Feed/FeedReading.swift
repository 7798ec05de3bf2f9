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
      try file.expanded(upTo: limit, passing: passing) { piece in
        bytes += piece.count
        try piece.withUnsafeBytes { try rows.feed($0) }
      }
      try rows.end()
      return (rows.count, bytes)
    } catch let error as ImportFailure {
      throw FeedError.document(error.message)
    }
  }
}

extension FeedFile {
  /// Hands on its bytes as they are once nothing is compressed, and before that as they lie there.
  func expanded(
    upTo limit: Int, passing: ([UInt8]) -> Void = { _ in }, _ sink: ([UInt8]) throws -> Void
  ) throws {
    var bytes = 0
    let unpacker = DocumentUnpacker()
    func take(_ piece: [UInt8]) throws {
      bytes += piece.count
      guard bytes <= limit else { throw FeedError.tooLong(path: place, limit: limit) }
      try sink(piece)
    }
    do {
      try read { piece in
        passing(piece)
        try unpacker.take(piece, take)
      }
      try unpacker.end(take)
    } catch let error as CompressionError { throw FeedError.document("\(place): \(error)") }
  }
}
