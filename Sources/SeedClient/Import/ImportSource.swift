public import struct Foundation.Data
public import struct Foundation.URL

/// Where an import's documents come from.
///
/// ```swift
/// let source = ImportSource.pages { page in
///   try await download("https://example.org/stops?page=\(page)")
/// }
/// ```
public struct ImportSource: Sendable {
  enum Kind: Sendable {
    case file(URL)
    case chunks(@Sendable () -> any ImportPieces)
    case documents(@Sendable () -> any ImportPieces)
  }

  let kind: Kind
  let name: String

  /// A document in memory, gzip or not.
  public static func data(_ data: Data, name: String = "data") -> ImportSource {
    ImportSource(kind: .chunks { OnePiece(piece: data) }, name: name)
  }

  /// A file, gzip or not by its content, read piece by piece.
  public static func file(_ url: URL) -> ImportSource {
    ImportSource(kind: .file(url), name: url.lastPathComponent)
  }

  /// One document in pieces, as they come.
  public static func chunks<Pieces: AsyncSequence & Sendable>(
    _ pieces: Pieces, name: String = "stream"
  ) -> ImportSource where Pieces.Element == Data {
    ImportSource(kind: .chunks { Iterating(iterator: pieces.makeAsyncIterator()) }, name: name)
  }

  /// Several documents; one without rows is the last that is asked for.
  public static func documents<Documents: AsyncSequence & Sendable>(
    _ documents: Documents, name: String = "page"
  ) -> ImportSource where Documents.Element == Data {
    ImportSource(kind: .documents { Iterating(iterator: documents.makeAsyncIterator()) }, name: name)
  }

  /// Pages that are asked for one after the other, from `first` on, until one has no rows.
  public static func pages(
    from first: Int = 1, name: String = "page", _ page: @escaping @Sendable (Int) async throws -> Data
  ) -> ImportSource {
    ImportSource(kind: .documents { Paging(number: first, page: page) }, name: name)
  }
}

/// Yields pieces of a document, or documents, in turn.
protocol ImportPieces {
  mutating func next() async throws -> Data?
}

private struct OnePiece: ImportPieces {
  var piece: Data?

  mutating func next() -> Data? {
    defer { piece = nil }
    return piece
  }
}

private struct Iterating<Iterator: AsyncIteratorProtocol>: ImportPieces where Iterator.Element == Data {
  var iterator: Iterator

  mutating func next() async throws -> Data? { try await iterator.next(isolation: #isolation) }
}

private struct Paging: ImportPieces {
  var number: Int
  let page: @Sendable (Int) async throws -> Data

  mutating func next() async throws -> Data? {
    defer { number += 1 }
    return try await page(number)
  }
}
