import SeedDatabase
import SeedFormat
import SeedImport
import SeedSystem

struct FeedFile {
  let name: String
  let place: String
  let read: (([UInt8]) throws -> Void) throws -> Void

  private static let pieceBytes = 256 * 1024

  private init(_ place: String, _ read: @escaping (([UInt8]) throws -> Void) throws -> Void) {
    (self.place, self.read) = (place, read)
    name = String(place.split(separator: "/").last ?? "")
  }

  /// The file, or the members of an archive. Hidden members are skipped, as in a folder.
  static func all(_ path: String, limit: Int) throws -> [FeedFile] {
    guard FeedName.isArchive(path) else {
      let file = FeedFile(path) { sink in
        let file = try File(path, for: .readingRegular(followsLinks: true))
        while case let piece = try file.read(pieceBytes), !piece.isEmpty { try sink(piece) }
      }
      return [file]
    }
    return try FeedArchive(path).names(upTo: limit).filter { name in
      !name.split(separator: "/").contains { $0.hasPrefix(".") || $0 == "__MACOSX" }
    }.map { name in FeedFile("\(path)/\(name)") { try FeedArchive(path).read(name, $0) } }
  }

  func expanded(
    upTo limit: Int, passing: ([UInt8]) -> Void = { _ in }, _ sink: ([UInt8]) throws -> Void
  ) throws {
    var bytes = 0
    let unpacker = DocumentUnpacker()
    func take(_ piece: [UInt8]) throws {
      bytes += piece.count
      guard bytes <= limit else { throw OriginError.tooLong(path: place, limit: limit) }
      try sink(piece)
    }
    do {
      try read { piece in
        passing(piece)
        try unpacker.take(piece, take)
      }
      try unpacker.end(take)
    } catch let error as CompressionError { throw OriginError.data("\(place): \(error)") }
  }
}
