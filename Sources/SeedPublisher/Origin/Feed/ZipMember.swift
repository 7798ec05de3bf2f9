import SeedDatabase
import SeedSystem

extension ZipDirectory.Member {
  fileprivate static let pieceBytes = 256 * 1024
  fileprivate static let headerBytes = 30
  fileprivate static let headerMark = 0x0403_4B50

  /// Hands on a member's bytes, no more than its directory says; they must be those that were packed.
  func read(from path: String, _ sink: ([UInt8]) throws -> Void) throws {
    let file = try File(path, for: .readingRegular(followsLinks: true))
    var (length, found) = (0, UInt32(0))
    func take(_ piece: [UInt8]) throws {
      length += piece.count
      guard length <= size else { throw wrong(path, "it is longer than the archive's directory says") }
      found = RawInflater.checksum(of: piece, after: found)
      try sink(piece)
    }
    do {
      try expand(file, path, take)
    } catch let error as CompressionError { throw wrong(path, "\(error)") }
    guard length == size, found == checksum else {
      throw wrong(path, "it does not hold what the archive's directory says")
    }
  }

  private func expand(_ file: borrowing File, _ path: String, _ take: ([UInt8]) throws -> Void) throws {
    var (rest, place) = (packedSize, try start(file, path))
    let inflater = isDeflated ? try RawInflater() : nil
    repeat {
      let piece = try file.read(min(rest, Self.pieceBytes), at: place)
      guard !piece.isEmpty || rest == 0 else { throw wrong(path, "the archive ends within it") }
      (rest, place) = (rest - piece.count, place + piece.count)
      if let inflater { try inflater.process(piece, isLast: rest == 0, take) } else { try take(piece) }
    } while rest > 0
  }

  /// Its header has a name and more of lengths of its own.
  private func start(_ file: borrowing File, _ path: String) throws -> Int {
    let header = ZipDirectory.Bytes(try file.read(Self.headerBytes, at: offset))
    guard header.count == Self.headerBytes, header.number(0, 4) == Self.headerMark else {
      throw wrong(path, "the archive's directory leads to no such file")
    }
    return offset + Self.headerBytes + header.number(26, 2) + header.number(28, 2)
  }

  private func wrong(_ path: String, _ reason: String) -> FeedError { .member(name, path, reason) }
}
