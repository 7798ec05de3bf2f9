public import struct Foundation.Data
public import struct Foundation.URL

/// The origin of an import's documents.
///
/// ```swift
/// let source = ImportSource.pages { page in
///   try await download("https://example.org/stops?page=\(page)")
/// }
/// ```
public struct ImportSource: Sendable {
  enum Kind: Sendable {
    case files([URL])
    case chunks(@Sendable () -> ImportPieces)
    case documents(@Sendable () -> ImportPieces)
  }

  let kind: Kind
  let name: String
  var isRejects = false

  /// A document in memory, plain or gzip.
  public static func data(_ data: Data, name: String = "data") -> ImportSource {
    let make: @Sendable () -> ImportPieces = {
      var rest: Data? = data
      return { rest.take() }
    }
    return ImportSource(kind: .chunks(make), name: name)
  }

  /// A file, plain or gzip (detected by content), read in pieces.
  public static func file(_ url: URL) -> ImportSource { .files([url]) }

  /// Several files, such as a feed's, in one import: rows in each may reference rows in all. A mapping's lists name
  /// their file in ``ImportMapping/List/file``.
  public static func files(_ urls: [URL]) -> ImportSource {
    ImportSource(kind: .files(urls), name: urls.map(\.lastPathComponent).joined(separator: ", "))
  }

  /// A file of rejected rows, one ``ImportReject/json`` per line, possibly corrected. The same mapping
  /// imports them; rows missing from the file are not deleted.
  public static func rejects(_ url: URL) -> ImportSource {
    var source = file(url)
    source.isRejects = true
    return source
  }

  /// One document in pieces.
  public static func chunks<Pieces: AsyncSequence & Sendable>(
    _ pieces: Pieces, name: String = "stream"
  ) -> ImportSource where Pieces.Element == Data {
    ImportSource(kind: .chunks { iterating(pieces) }, name: name)
  }

  /// Several documents. The first one without rows ends the import.
  public static func documents<Documents: AsyncSequence & Sendable>(
    _ documents: Documents, name: String = "page"
  ) -> ImportSource where Documents.Element == Data {
    ImportSource(kind: .documents { iterating(documents) }, name: name)
  }

  /// Numbered pages, requested one after another from `first` until one has no rows.
  public static func pages(
    from first: Int = 1, name: String = "page", _ page: @escaping @Sendable (Int) async throws -> Data
  ) -> ImportSource {
    let make: @Sendable () -> ImportPieces = {
      var number = first - 1
      return {
        number += 1
        return try await page(number)
      }
    }
    return ImportSource(kind: .documents(make), name: name)
  }

  private static func iterating<Pieces: AsyncSequence>(
    _ pieces: Pieces
  ) -> ImportPieces where Pieces.Element == Data {
    let iterator = PieceIterator(pieces.makeAsyncIterator())
    return { try await iterator.next() }
  }
}

/// An import requests one piece at a time, so the iterator has no concurrent calls. The compiler would accept
/// `next(isolation:)`, which requires iOS 18.
private final class PieceIterator<Iterator: AsyncIteratorProtocol>: @unchecked Sendable
where Iterator.Element == Data {
  private var iterator: Iterator

  init(_ iterator: Iterator) { self.iterator = iterator }

  @concurrent func next() async throws -> Data? { try await iterator.next() }
}

typealias ImportPieces = () async throws -> Data?
