import SeedSystem

/// The directory of a zip archive, which says where its members lie: PKWARE's APPNOTE, sections 4.3.12 to 4.3.16 and 4.5.3.
/// Members are stored or deflated; archives in parts and encrypted members are refused.
struct ZipDirectory {
  struct Member {
    /// With its folders, as the archive has it.
    let name: String
    let isDeflated: Bool
    let checksum: UInt32
    let packedSize: Int
    let size: Int
    /// Where its header is.
    let offset: Int
  }

  let members: [Member]

  private static let endBytes = 22
  /// Bytes of a remark behind the end, at most.
  private static let longestRemark = 65_535
  private static let entryBytes = 46
  private static let (endMark, entryMark): (UInt32, UInt32) = (0x0605_4B50, 0x0201_4B50)
  /// Bytes of a directory that are read at most: some hundred thousand members.
  static let mostBytes = 64 * 1024 * 1024

  /// Reads the directory of an archive; what is wrong with it is told with its path.
  init(_ path: String) throws {
    let file = try File(path, for: .readingRegular(followsLinks: true))
    let length = try file.length()
    let tail = Bytes(
      try file.read(
        Self.endBytes + Self.longestRemark, at: max(0, length - Self.endBytes - Self.longestRemark)))
    guard let end = tail.last(Self.endMark, endBytes: Self.endBytes) else {
      throw FeedError.archive(path: path, "it has no directory at its end: is it whole, and a zip archive?")
    }
    let place = try Place(tail, end, file, path)
    guard place.count >= 0, (0...Self.mostBytes).contains(place.size), place.offset >= 0,
      place.offset <= length - place.size
    else {
      throw FeedError.archive(path: path, "its directory does not lie within it: is it whole?")
    }
    members = try Self.members(Bytes(file.read(place.size, at: place.offset)), place.count, path)
    try Self.refuseDoubled(members, path)
  }

  private static func members(_ bytes: Bytes, _ count: Int, _ path: String) throws(FeedError) -> [Member] {
    var (members, place) = ([Member](), 0)
    for _ in 0..<count {
      guard place + entryBytes <= bytes.count, bytes.number(place, 4) == Int(entryMark) else {
        throw .archive(path: path, "its directory is damaged")
      }
      let lengths = (
        name: bytes.number(place + 28, 2), extra: bytes.number(place + 30, 2),
        remark: bytes.number(place + 32, 2)
      )
      guard place + entryBytes + lengths.name + lengths.extra <= bytes.count else {
        throw .archive(path: path, "its directory is damaged")
      }
      let name = bytes.text(place + entryBytes, lengths.name)
      if !name.hasSuffix("/") { members.append(try member(name, bytes, place, path)) }
      place += entryBytes + lengths.name + lengths.extra + lengths.remark
    }
    return members
  }

  private static func member(
    _ name: String, _ bytes: Bytes, _ place: Int, _ path: String
  ) throws(FeedError) -> Member {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard !name.hasPrefix("/"), !name.contains("\\"), !name.utf8.contains(0), !parts.contains("..") else {
      throw .member(name, path, "its name leads out of the archive")
    }
    let (flags, method) = (bytes.number(place + 8, 2), bytes.number(place + 10, 2))
    guard flags & 1 == 0 else { throw .member(name, path, "it is encrypted") }
    guard method == 0 || method == 8 else {
      throw .member(
        name, path, "it is compressed by the method \(method); only deflate can be read, which 'zip' uses")
    }
    guard bytes.number(place + 5, 1) != unix || bytes.number(place + 40, 2) & fileType != link else {
      throw .member(name, path, "it is a link")
    }
    guard let sizes = bytes.sizes(ofEntryAt: place) else {
      throw .member(name, path, "the directory does not say how long it is")
    }
    return Member(
      name: name, isDeflated: method == 8, checksum: UInt32(bytes.number(place + 16, 4)),
      packedSize: sizes.packed, size: sizes.size, offset: sizes.offset)
  }

  /// "Version made by" of archives whose members have Unix's kinds of files.
  private static let unix = 3
  /// The bits of a mode that say what a file is, and those of a symbolic link.
  private static let (fileType, link) = (0o170000, 0o120000)

  private static func refuseDoubled(_ members: [Member], _ path: String) throws(FeedError) {
    var seen: Set<String> = []
    for member in members where !seen.insert(member.name).inserted {
      throw .member(member.name, path, "it is there twice")
    }
  }
}

extension FeedError {
  static func archive(path: String, _ reason: String) -> FeedError { .document("\(path): \(reason)") }

  static func member(_ name: String, _ path: String, _ reason: String) -> FeedError {
    .document("\(path), \(name): \(reason): make the archive anew without that")
  }
}
