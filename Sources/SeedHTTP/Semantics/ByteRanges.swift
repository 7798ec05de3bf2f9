/// What a `Range` field asks for of a representation (RFC 9110, 14.1.2 and 14.2).
enum ByteRanges: Hashable, Sendable {
  /// All of it: there is no such field, or it is one that must or may be passed over.
  case whole
  /// One part with at least one byte.
  case part(Range<Int64>)
  /// No byte of it.
  case none

  /// Reads the field for a representation of that many bytes.
  ///
  /// Several ranges are answered whole, as the standard allows: `multipart/byteranges` would have a digest and
  /// a length of its own, and nobody who fetches a seed needs it.
  init(_ headers: HTTPHeaders, length: Int64) {
    let values = headers.values(of: "Range")
    guard values.count == 1, let ranges = Self.ranges(values[0], length: length) else {
      self = .whole
      return
    }
    let satisfiable = ranges.filter { !$0.isEmpty }
    self = satisfiable.isEmpty ? .none : ranges.count == 1 ? .part(satisfiable[0]) : .whole
  }

  /// Each range as far as there are bytes; nil if the field is of another unit or against the grammar.
  private static func ranges(_ value: String, length: Int64) -> [Range<Int64>]? {
    let unit = "bytes="
    guard value.utf8.count > unit.utf8.count, String(value.prefix(unit.count)).equalsIgnoringCase(unit)
    else { return nil }
    let specifiers = value.dropFirst(unit.count).split(separator: ",").map(trimmed).filter { !$0.isEmpty }
    let ranges = specifiers.map { range($0, length: length) }
    return ranges.isEmpty || ranges.contains(nil) ? nil : ranges.compactMap(\.self)
  }

  private static func range(_ specifier: Substring, length: Int64) -> Range<Int64>? {
    let ends = specifier.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard ends.count == 2 else { return nil }
    switch (ends[0].isEmpty, ends[1].isEmpty) {
    case (true, true): return nil
    case (true, false): return position(ends[1]).map { max(0, length - $0)..<length }
    case (false, true): return position(ends[0]).map { min($0, length)..<length }
    case (false, false): return range(from: position(ends[0]), through: position(ends[1]), length: length)
    }
  }

  private static func range(from first: Int64?, through last: Int64?, length: Int64) -> Range<Int64>? {
    guard let first, let last, first <= last else { return nil }
    return min(first, length)..<min(last, length - 1) + 1
  }

  /// A number of digits; one beyond all files is as good as the largest.
  private static func position(_ digits: Substring) -> Int64? {
    guard digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    return min(Int64(digits) ?? .max, .max - 1)
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let blanks: Set<Character> = [" ", "\t"]
    var rest = text.drop { blanks.contains($0) }
    while let last = rest.last, blanks.contains(last) { rest.removeLast() }
    return rest
  }
}
