/// The needed parts of a bucket's XML: names and lengths of a list, and the code of an error. Skips names with escaped
/// characters, which Seedbank never writes.
struct BucketList {
  let files: [(name: String, length: Int)]
  /// The token of the next page; nil at the end.
  let next: String?

  init(_ xml: String) {
    files = Self.texts("Contents", in: xml).compactMap { entry in
      guard let name = Self.text("Key", in: entry), !name.contains("&"),
        let length = Self.text("Size", in: entry).flatMap({ Int($0) })
      else { return nil }
      return (String(name), length)
    }
    let isCut = Self.text("IsTruncated", in: xml) == "true"
    next = isCut ? Self.text("NextContinuationToken", in: xml).map(String.init) : nil
  }

  /// An error code such as `NoSuchBucket`.
  static func code(in xml: String) -> String? {
    guard let code = text("Code", in: xml), code.count < longestCode,
      code.allSatisfy({ $0.isLetter || $0.isNumber })
    else { return nil }
    return String(code)
  }

  private static let longestCode = 100

  private static func text(_ name: String, in xml: some StringProtocol) -> Substring? {
    texts(name, in: xml).first
  }

  private static func texts(_ name: String, in xml: some StringProtocol) -> [Substring] {
    var (rest, found) = (Substring(xml), [Substring]())
    while let start = rest.firstRange(of: "<\(name)>"),
      let end = rest[start.upperBound...].firstRange(of: "</\(name)>")
    {
      found.append(rest[start.upperBound..<end.lowerBound])
      rest = rest[end.upperBound...]
    }
    return found
  }
}
