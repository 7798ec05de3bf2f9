import SeedFormat

/// Why a header may lack a field, by what it has instead.
struct HeaderGuess {
  let names: [String]
  /// The column that the field is for, and the member that the mapping names for it.
  let column: String
  let member: MemberPath?
  let format: CSVFormat

  /// As the mapping spells it, behind a space; nothing where the field is found by the column's name.
  var wantedField: String { member == nil ? "" : " \"\(wanted)\"" }

  /// What the header has, and what to do.
  var reason: String { byEncoding ?? byDelimiter ?? byName }

  private var wanted: String {
    guard let member, let first = member.steps.first else { return column }
    if case .member(let name) = first, member.steps.count == 1 { return name }
    return member.description
  }

  /// A path of several names as one name.
  private var dotted: String? {
    member?.names.flatMap { $0.count > 1 ? $0.joined(separator: ".") : nil }
  }

  // MARK: Bytes

  private var byEncoding: String? {
    guard let (fact, encoding) = signOfEncoding else { return nil }
    return "\(fact): \(encoding.question)"
  }

  private var signOfEncoding: (fact: String, encoding: CSVFormat.Encoding)? {
    let scalars = names.joined().unicodeScalars
    let start = scalars.prefix(3).map(\.value)
    if start == [0xEF, 0xBB, 0xBF] { return ("it begins with the mark of UTF-8", .utf8) }
    if [[0xFF, 0xFE], [0xFE, 0xFF]].contains(Array(start.prefix(2))) {
      return ("it begins with the mark of UTF-16", .utf16)
    }
    if scalars.contains("\0") {
      return (
        "it has a zero byte beside each letter", scalars.first == "\0" ? .utf16BigEndian : .utf16LittleEndian
      )
    }
    guard start.first == 0xFFFE || scalars.count < 2 * scalars.count(where: Self.isTurned) else { return nil }
    let other: CSVFormat.Encoding =
      format.encoding == .utf16BigEndian ? .utf16LittleEndian : .utf16BigEndian
    return ("its bytes seem to be in the other order", other)
  }

  /// Whether it would be ASCII with its two bytes in the other order.
  private static func isTurned(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value & 0xFF == 0 && (0x0100...0x7F00).contains(scalar.value)
  }

  // MARK: Delimiters

  private var byDelimiter: String? {
    if names[0].hasPrefix("sep=") {
      return
        "it begins with \"\(names[0])\", which tells Excel the delimiter: pass that line over, and give the "
        + "delimiter (--skip 1 --delimiter, or \"skip\" and \"delimiter\" in the mapping)"
    }
    guard names.count == 1, let delimiter = likelyDelimiter else { return nil }
    return "it has one field, \(Self.shown(names[0])): is the delimiter \(delimiter)? "
      + "(--delimiter, or \"delimiter\" in the mapping)"
  }

  private var likelyDelimiter: String? {
    let counts = [";", ",", "\t", "|"].map { sign in (sign, names[0].count { String($0) == sign }) }
    guard let best = counts.max(by: { $0.1 < $1.1 }), best.1 > 0 else { return nil }
    return best.0 == "\t" ? "tab" : "\"\(best.0)\""
  }

  // MARK: Names

  private var byName: String {
    if let dotted, names.contains(dotted) {
      return
        "it has \"\(dotted)\": write that as \(MemberPath.Step.member(dotted)), for a dot leads to a member"
    }
    if let same = names.first(where: { $0 == wanted && !$0.utf8.elementsEqual(wanted.utf8) }) {
      return
        "it has \"\(same)\", the same letters in another Unicode form: write it in the mapping as the file does"
    }
    guard let near = MemberSurvey.alike(wanted, among: names, orNearly: true).first else {
      return "it has \(found(names)): map one of them (\"columns\": {\"\(column)\": …})"
    }
    let ranked = [near] + names.filter { $0 != near }
    return "it has \(found(ranked)): map it (\"columns\": {\"\(column)\": \"\(near)\"})"
  }

  private static let mostShown = 12
  private static let mostLetters = 60

  private func found(_ names: [String]) -> String {
    let shown = names.prefix(Self.mostShown).map(Self.shown).joined(separator: ", ")
    let rest = names.count - Self.mostShown
    return (names.count == 1 ? "one field, " : "") + shown + (rest > 0 ? " and \(rest) more" : "")
  }

  private static func shown(_ name: String) -> String {
    "\"\(name.prefix(mostLetters))\(name.count > mostLetters ? "…" : "")\""
  }
}
