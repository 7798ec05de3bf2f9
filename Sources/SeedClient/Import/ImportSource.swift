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
    case files([URL])
    case chunks(@Sendable () -> ImportPieces)
    case documents(@Sendable () -> ImportPieces)
  }

  let kind: Kind
  let name: String
  var isRejects = false

  /// A document in memory, gzip or not.
  public static func data(_ data: Data, name: String = "data") -> ImportSource {
    let make: @Sendable () -> ImportPieces = {
      var rest: Data? = data
      return { rest.take() }
    }
    return ImportSource(kind: .chunks(make), name: name)
  }

  /// A file, gzip or not by its content, read piece by piece.
  public static func file(_ url: URL) -> ImportSource { .files([url]) }

  /// Several files, such as a feed's, as one import: rows of each may reference rows of all. A mapping's lists say by
  /// ``SeedImport/ImportMapping/List/file`` which of them they are in.
  public static func files(_ urls: [URL]) -> ImportSource {
    ImportSource(kind: .files(urls), name: urls.map(\.lastPathComponent).joined(separator: ", "))
  }

  /// A file of rejected rows, one ``SeedImport/ImportReject/json`` in each line, perhaps mended. They go where the same
  /// mapping sends the rows of their documents; no rows are deleted because they are not among them.
  public static func rejects(_ url: URL) -> ImportSource {
    var source = file(url)
    source.isRejects = true
    return source
  }

  /// One document in pieces, as they come.
  public static func chunks<Pieces: AsyncSequence & Sendable>(
    _ pieces: Pieces, name: String = "stream"
  ) -> ImportSource where Pieces.Element == Data {
    ImportSource(kind: .chunks { iterating(pieces) }, name: name)
  }

  /// Several documents; one without rows is the last that is asked for.
  public static func documents<Documents: AsyncSequence & Sendable>(
    _ documents: Documents, name: String = "page"
  ) -> ImportSource where Documents.Element == Data {
    ImportSource(kind: .documents { iterating(documents) }, name: name)
  }

  /// Pages that are asked for one after the other, from `first` on, until one has no rows.
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

/// An import asks for one piece after the other: no two calls meet in the iterator. Its `next(isolation:)`, which would
/// say so to the compiler, is there only from iOS 18 on.
private final class PieceIterator<Iterator: AsyncIteratorProtocol>: @unchecked Sendable
where Iterator.Element == Data {
  private var iterator: Iterator

  init(_ iterator: Iterator) { self.iterator = iterator }

  @concurrent func next() async throws -> Data? { try await iterator.next() }
}

/// Yields pieces of a document, or documents, in turn.
typealias ImportPieces = () async throws -> Data?
