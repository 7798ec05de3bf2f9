/// A string that is not a valid name, version or digest.
public struct InvalidName: Error, Hashable, Sendable, CustomStringConvertible {
  /// `dataset name`, `model version`, …
  public let kind: String
  /// The text as given.
  public let found: String
  /// A description of valid text.
  public let expected: String

  package init(_ kind: String, found: some StringProtocol, expected: String) {
    (self.kind, self.found, self.expected) = (kind, String(found), expected)
  }

  /// One sentence with the kind, the text found and the text expected.
  public var description: String { "invalid \(kind) \"\(found.printable)\": expected \(expected)" }
}

/// Makes a value from a literal; traps if the literal is invalid.
func written<Value>(_ text: StaticString, _ make: (String) throws(InvalidName) -> Value) -> Value {
  do { return try make(text.description) } catch { preconditionFailure(error.description) }
}

/// The name of a dataset, such as `transit`: lower-case ASCII, for use in URLs, file names and TUF role names.
public struct DatasetName: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The name as text.
  public let text: String

  /// Throws unless `text` is a lower-case letter followed by lower-case letters, digits and hyphens.
  public init(_ text: String) throws(InvalidName) {
    let bytes = Array(text.utf8)
    let letters: ClosedRange<UInt8> = 0x61...0x7A
    let allowed = bytes.allSatisfy { letters.contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
    guard let first = bytes.first, letters.contains(first), allowed, bytes.last != 0x2D,
      bytes.count <= Limits.datasetNameLength
    else {
      throw InvalidName(
        "dataset name", found: text,
        expected: "a lower-case letter, then at most \(Limits.datasetNameLength - 1) of a-z, 0-9 and -")
    }
    self.text = text
  }

  /// Compares bytes.
  public static func < (left: Self, right: Self) -> Bool { left.text < right.text }

  /// The name.
  public var description: String { text }
}

extension DatasetName: ExpressibleByStringLiteral {
  /// Creates a name from a literal; traps if it is invalid.
  public init(stringLiteral value: StaticString) { self = written(value, Self.init(_:)) }
}

/// A schema's version, `major.minor`. A new minor only adds to the schema; a new major may change anything.
public struct ModelVersion: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The series' number.
  public let major: Int
  /// The number of additions within the series.
  public let minor: Int

  /// Throws unless the major is in 1…999 and the minor in 0…999.
  public init(major: Int, minor: Int) throws(InvalidName) { try self.init("\(major).\(minor)") }

  /// Parses `2.1`; each part is a whole number without leading zeros.
  public init(_ text: String) throws(InvalidName) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let most = Limits.modelNumber
    guard parts.count == 2, let major = canonicalDecimal(parts[0], in: 1...most),
      let minor = canonicalDecimal(parts[1], in: 0...most)
    else {
      throw InvalidName(
        "model version", found: text,
        expected: "major.minor, such as 2.1, from 1.0 to \(most).\(most) without leading zeros")
    }
    (self.major, self.minor) = (major, minor)
  }

  /// Whether a client built for `other` can open a file of this version.
  public func opens(for other: ModelVersion) -> Bool { major == other.major && minor >= other.minor }

  package var userVersion: Int { major * 1000 + minor }

  /// Compares majors, then minors.
  public static func < (left: Self, right: Self) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }

  /// `major.minor`.
  public var description: String { "\(major).\(minor)" }
}

extension ModelVersion: ExpressibleByStringLiteral {
  /// Creates a version from a literal; traps if it is invalid.
  public init(stringLiteral value: StaticString) { self = written(value, Self.init(_:)) }
}

/// A dataset at one major, such as `transit/2`. Each series counts its own versions.
public struct SeedSeries: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The dataset.
  public let dataset: DatasetName
  /// The model's major.
  public let major: Int

  /// Throws unless the major is in 1…999.
  public init(_ dataset: DatasetName, major: Int) throws(InvalidName) {
    guard (1...Limits.modelNumber).contains(major) else {
      throw InvalidName("series", found: "\(dataset)/\(major)", expected: "a major of 1 to 999")
    }
    self.dataset = dataset
    self.major = major
  }

  /// The series of a model.
  public init(_ dataset: DatasetName, model: ModelVersion) {
    self.dataset = dataset
    self.major = model.major
  }

  /// The series' TUF role. Its last hyphen precedes the major; others belong to the dataset's name.
  package var roleName: String { "\(dataset)-\(major)" }

  /// Compares datasets, then majors.
  public static func < (left: Self, right: Self) -> Bool {
    (left.dataset.text, left.major) < (right.dataset.text, right.major)
  }

  /// `dataset/major`, which is also the folder of the series' objects.
  public var description: String { "\(dataset)/\(major)" }
}

/// A consecutive number per series, from 1, incremented by each publication that changes the series.
public struct SeedVersion: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The number, from 1.
  public let number: Int

  /// The first version of a series.
  public static let first = SeedVersion(unchecked: 1)

  /// Throws below 1 and above 2^53 − 1.
  public init(_ number: Int) throws(InvalidName) { try self.init("\(number)") }

  /// Parses a plain decimal without sign or leading zeros.
  public init(_ text: String) throws(InvalidName) {
    guard let number = canonicalDecimal(text, in: 1...Int(Limits.exactJSONInteger)) else {
      throw InvalidName(
        "version", found: text, expected: "a whole number from 1 to \(Limits.exactJSONInteger)")
    }
    self.number = number
  }

  private init(unchecked number: Int) { self.number = number }

  package var next: SeedVersion { SeedVersion(unchecked: number + 1) }

  /// Compares numbers.
  public static func < (left: Self, right: Self) -> Bool { left.number < right.number }

  /// The number.
  public var description: String { "\(number)" }
}

extension SeedVersion: ExpressibleByIntegerLiteral {
  /// Creates a version from a literal; traps if it is invalid.
  public init(integerLiteral number: Int) {
    do { try self.init(number) } catch { preconditionFailure("\(error)") }
  }
}

/// The random ID of a series' history. A new one makes every client download a snapshot.
public struct Epoch: Hashable, Sendable, CustomStringConvertible {
  /// Sixteen lower-case hexadecimal digits.
  public let text: String

  package static let length = 16

  /// Throws unless `text` is 16 lower-case hexadecimal digits.
  public init(_ text: String) throws(InvalidName) {
    guard let bytes = hexBytes(text), bytes.count * 2 == Self.length else {
      throw InvalidName("epoch", found: text, expected: "\(Self.length) lower-case hexadecimal digits")
    }
    self.text = text
  }

  package static func random() -> Epoch {
    Epoch(bytes: (0..<length / 2).map { _ in .random(in: .min ... .max) })
  }

  private init(bytes: [UInt8]) { text = lowerHex(bytes) }

  /// The digits.
  public var description: String { text }
}

/// Returns the known name that was probably meant: it begins with `name`, or differs in at most a third of the letters.
package func nearestName(to name: String, in known: [String]) -> String? {
  // Compares only 64 letters, because the edit distance takes time proportional to the product of the lengths.
  let typed = Array(name.lowercased().prefix(64))
  let ranked = known.map { ($0, editDistance(typed, Array($0.lowercased().prefix(64)))) }
  if let best = ranked.min(by: { $0.1 < $1.1 }), best.1 <= max(1, typed.count / 3) { return best.0 }
  guard typed.count >= shortestBeginning else { return nil }
  return known.first { $0.lowercased().starts(with: typed) }
}

private let shortestBeginning = 3

/// Returns the number of insertions, deletions, replacements and swaps of neighbours between two strings.
package func editDistance(_ left: [Character], _ right: [Character]) -> Int {
  var (beforeLast, last) = ([Int](), Array(0...right.count))
  for (row, letter) in left.enumerated() {
    var current = [row + 1]
    for (column, other) in right.enumerated() {
      var cost = min(last[column + 1] + 1, current[column] + 1, last[column] + (letter == other ? 0 : 1))
      let isSwap = row > 0 && column > 0 && letter == right[column - 1] && left[row - 1] == other
      if isSwap { cost = min(cost, beforeLast[column - 1] + 1) }
      current.append(cost)
    }
    (beforeLast, last) = (last, current)
  }
  return last[right.count]
}
