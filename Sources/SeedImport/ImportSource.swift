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
    case pages(first: Int, @Sendable (Int) async throws -> Data)
  }

  let kind: Kind
  let name: String

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

  /// Several files, such as those of a feed, in one import. Their rows may reference each other. Each list of the
  /// mapping can name its file in ``ImportMapping/List/file``.
  public static func files(_ urls: [URL]) -> ImportSource {
    ImportSource(kind: .files(urls), name: "")
  }

  /// One document in pieces.
  public static func chunks<Pieces: AsyncSequence & Sendable>(
    _ pieces: Pieces, name: String = "stream"
  ) -> ImportSource where Pieces.Element == Data {
    let make: @Sendable () -> ImportPieces = {
      let iterator = PieceIterator(pieces.makeAsyncIterator())
      return { try await iterator.next() }
    }
    return ImportSource(kind: .chunks(make), name: name)
  }

  /// Numbered pages, requested one after another from `first` until one has no rows.
  public static func pages(
    from first: Int = 1, name: String = "page", _ page: @escaping @Sendable (Int) async throws -> Data
  ) -> ImportSource { ImportSource(kind: .pages(first: first, page), name: name) }
}

/// Unchecked, because an import requests one piece at a time. `next(isolation:)` would make this class
/// unnecessary, but requires iOS 18.
private final class PieceIterator<Iterator: AsyncIteratorProtocol>: @unchecked Sendable
where Iterator.Element == Data {
  private var iterator: Iterator

  init(_ iterator: Iterator) { self.iterator = iterator }

  @concurrent func next() async throws -> Data? { try await iterator.next() }
}

typealias ImportPieces = () async throws -> Data?
