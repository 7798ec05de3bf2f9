extension BinaryPlist {
  package init(_ bytes: [UInt8]) throws(PlistError) {
    var reader = try BinaryPlistReader(bytes)
    self.init(objects: try reader.objects(), root: reader.trailer.root)
  }
}

private struct BinaryPlistReader {
  private let bytes: [UInt8]
  let trailer: Trailer
  /// Bytes of the objects read so far; overlapping objects exceed the available bytes.
  private var taken = signature.count
  private var referred = 0

  struct Trailer {
    static let bytes = 32
    /// Bytes of an offset and of a reference.
    let offsetBytes, referenceBytes: Int
    let count, root, table: Int
  }

  private static let signature = Array("bplist00".utf8)

  init(_ bytes: [UInt8]) throws(PlistError) {
    self.bytes = bytes
    guard bytes.starts(with: Self.signature) else { throw PlistError(reason: .notBinary, offset: 0) }
    guard bytes.count <= BinaryPlist.Limits.bytes else { throw PlistError(reason: .tooLong, offset: 0) }
    guard bytes.count >= Self.signature.count + Trailer.bytes else {
      throw PlistError(reason: .truncated, offset: bytes.count)
    }
    trailer = try Self.trailer(bytes)
  }

  private static func trailer(_ bytes: [UInt8]) throws(PlistError) -> Trailer {
    let start = bytes.count - Trailer.bytes
    func number(_ place: Int) -> Int? {
      Int(exactly: bytes[(start + place)..<(start + place + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
    let widths = 1...8
    guard let count = number(8), let root = number(16), let table = number(24), count > 0, root < count,
      widths.contains(Int(bytes[start + 6])), widths.contains(Int(bytes[start + 7]))
    else { throw PlistError(reason: .trailer, offset: start) }
    guard count <= BinaryPlist.Limits.objects else {
      throw PlistError(reason: .tooManyObjects, offset: start + 8)
    }
    let offsetBytes = Int(bytes[start + 6])
    guard table >= signature.count, table <= start, count * offsetBytes <= start - table else {
      throw PlistError(reason: .trailer, offset: start)
    }
    return Trailer(
      offsetBytes: offsetBytes, referenceBytes: Int(bytes[start + 7]), count: count, root: root, table: table)
  }

  mutating func objects() throws(PlistError) -> [BinaryPlist.Object] {
    var objects: [BinaryPlist.Object] = []
    var keys: [(dictionary: Int, keys: [Int], values: [Int], offset: Int)] = []
    objects.reserveCapacity(trailer.count)
    for number in 0..<trailer.count {
      let offset = try offset(of: number)
      if bytes[offset] >> 4 == 0xD {
        let (names, values) = try references(at: offset)
        keys.append((number, names, values, offset))
        objects.append(.null)
      } else {
        objects.append(try object(at: offset))
      }
    }
    // A key may follow its dictionary.
    for (number, names, values, offset) in keys {
      objects[number] = .dictionary(try Self.members(names, values, of: objects, offset))
    }
    return objects
  }

  private static func members(
    _ names: [Int], _ values: [Int], of objects: [BinaryPlist.Object], _ offset: Int
  ) throws(PlistError) -> [BinaryPlist.Member] {
    var members: [BinaryPlist.Member] = []
    var seen: Set<String> = []
    for (name, value) in zip(names, values) {
      guard case .string(let text) = objects[name] else { throw PlistError(reason: .key, offset: offset) }
      guard seen.insert(text).inserted else { throw PlistError(reason: .duplicate, offset: offset) }
      members.append(BinaryPlist.Member(name: text, value: value))
    }
    return members
  }

  private func offset(of number: Int) throws(PlistError) -> Int {
    let place = trailer.table + number * trailer.offsetBytes
    let offset = try unsigned(at: place, trailer.offsetBytes)
    guard offset >= UInt64(Self.signature.count), offset < UInt64(trailer.table) else {
      throw PlistError(reason: .outside, offset: place)
    }
    return Int(offset)
  }

  private mutating func object(at offset: Int) throws(PlistError) -> BinaryPlist.Object {
    let marker = bytes[offset]
    switch (marker >> 4, marker & 0xF) {
    case (0x0, 0x0): return .null
    case (0x0, 0x8): return .bool(false)
    case (0x0, 0x9): return .bool(true)
    case (0x1, 0...4): return .integer(try integer(at: offset))
    case (0x2, 0x2): return .real(Double(Float(bitPattern: UInt32(try number(after: offset, 4)))))
    case (0x2, 0x3): return .real(Double(bitPattern: try number(after: offset, 8)))
    case (0x3, 0x3): return .date(Double(bitPattern: try number(after: offset, 8)))
    case (0x4, _): return .data(Array(try content(at: offset, width: 1)))
    case (0x5, _): return .string(try ascii(at: offset))
    case (0x6, _): return .string(try utf16(at: offset))
    case (0x8, 0...7): return .uid(try uid(at: offset))
    case (0xA, _): return .array(try references(at: offset).0)
    default: throw PlistError(reason: .unknownMarker, offset: offset)
    }
  }

  /// One, two and four bytes are unsigned, eight are signed; sixteen are used for unsigned values that need eight.
  private mutating func integer(at offset: Int) throws(PlistError) -> Int64 {
    let width = 1 << Int(bytes[offset] & 0xF)
    guard width == 16 else { return Int64(bitPattern: try number(after: offset, width)) }
    let high = try number(after: offset, 8)
    let low = Int64(bitPattern: try number(after: offset + 8, 8))
    guard high == (low < 0 ? .max : 0) else { throw PlistError(reason: .integer, offset: offset) }
    return low
  }

  private mutating func uid(at offset: Int) throws(PlistError) -> Int {
    let value = try number(after: offset, Int(bytes[offset] & 0xF) + 1)
    guard let uid = Int(exactly: value) else { throw PlistError(reason: .integer, offset: offset) }
    return uid
  }

  private mutating func number(after offset: Int, _ width: Int) throws(PlistError) -> UInt64 {
    try take(width + 1, at: offset)
    return try unsigned(at: offset + 1, width)
  }

  private mutating func ascii(at offset: Int) throws(PlistError) -> String {
    let content = try content(at: offset, width: 1)
    guard content.allSatisfy({ $0 < 0x80 }) else { throw PlistError(reason: .text, offset: offset) }
    return String(decoding: content, as: UTF8.self)
  }

  private mutating func utf16(at offset: Int) throws(PlistError) -> String {
    let content = try content(at: offset, width: 2)
    var units = stride(from: content.startIndex, to: content.endIndex, by: 2)
      .map { UInt16(content[$0]) << 8 | UInt16(content[$0 + 1]) }.makeIterator()
    var (decoder, text) = (UTF16(), String.UnicodeScalarView())
    while true {
      switch decoder.decode(&units) {
      case .scalarValue(let scalar): text.append(scalar)
      case .emptyInput: return String(text)
      case .error: throw PlistError(reason: .text, offset: offset)
      }
    }
  }

  private mutating func references(at offset: Int) throws(PlistError) -> ([Int], [Int]) {
    let isDictionary = bytes[offset] >> 4 == 0xD
    let content = try content(at: offset, width: trailer.referenceBytes * (isDictionary ? 2 : 1))
    referred += content.count / trailer.referenceBytes
    guard referred <= BinaryPlist.Limits.references else {
      throw PlistError(reason: .tooManyReferences, offset: offset)
    }
    var members: [Int] = []
    for place in stride(from: content.startIndex, to: content.endIndex, by: trailer.referenceBytes) {
      let member = try unsigned(at: place, trailer.referenceBytes)
      guard member < UInt64(trailer.count) else { throw PlistError(reason: .outside, offset: place) }
      members.append(Int(member))
    }
    guard isDictionary else { return (members, []) }
    return (Array(members[..<(members.count / 2)]), Array(members[(members.count / 2)...]))
  }

  /// The bytes of an object whose marker has a count of members with that width.
  private mutating func content(at offset: Int, width: Int) throws(PlistError) -> ArraySlice<UInt8> {
    let short = Int(bytes[offset] & 0xF)
    guard short == 0xF else { return try content(offset, head: 1, short, width) }
    guard offset + 1 < trailer.table else { throw PlistError(reason: .truncated, offset: offset) }
    let marker = bytes[offset + 1]
    guard marker >> 4 == 0x1, marker & 0xF <= 3 else {
      throw PlistError(reason: .unknownMarker, offset: offset + 1)
    }
    let lengthBytes = 1 << Int(marker & 0xF)
    let count = try unsigned(at: offset + 2, lengthBytes)
    guard count <= UInt64(bytes.count) else { throw PlistError(reason: .truncated, offset: offset) }
    return try content(offset, head: 2 + lengthBytes, Int(count), width)
  }

  private mutating func content(
    _ offset: Int, head: Int, _ count: Int, _ width: Int
  ) throws(PlistError) -> ArraySlice<UInt8> {
    try take(head + count * width, at: offset)
    return bytes[(offset + head)..<(offset + head + count * width)]
  }

  private mutating func take(_ count: Int, at offset: Int) throws(PlistError) {
    guard offset + count <= trailer.table else { throw PlistError(reason: .truncated, offset: offset) }
    taken += count
    guard taken <= trailer.table else { throw PlistError(reason: .overlapping, offset: offset) }
  }

  private func unsigned(at offset: Int, _ width: Int) throws(PlistError) -> UInt64 {
    guard offset + width <= bytes.count else { throw PlistError(reason: .truncated, offset: offset) }
    return bytes[offset..<(offset + width)].reduce(0) { $0 << 8 | UInt64($1) }
  }
}
