/// A dataset at one major: the unit in which versions count, `transit/2`.
public struct Series: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The dataset.
  public let dataset: DatasetName
  /// The model's major.
  public let major: Int

  /// Fails outside 1…999 for the major.
  public init(_ dataset: DatasetName, major: Int) throws(InvalidName) {
    guard (1...Limits.modelNumber).contains(major) else {
      throw InvalidName("series", found: "\(dataset)/\(major)", expected: "a major of 1 to 999")
    }
    self.dataset = dataset
    self.major = major
  }

  /// The series that a model belongs to.
  public init(_ dataset: DatasetName, model: ModelVersion) {
    self.dataset = dataset
    self.major = model.major
  }

  /// The name of its TUF role. The last hyphen parts it: a dataset's name may hold hyphens, a major cannot.
  package var roleName: String { "\(dataset)-\(major)" }

  /// Where its objects lie among the targets, with the closing slash.
  package var targetPrefix: String { "\(dataset)/\(major)/" }

  /// By dataset, then by major.
  public static func < (left: Self, right: Self) -> Bool {
    (left.dataset.text, left.major) < (right.dataset.text, right.major)
  }

  /// `dataset/major`.
  public var description: String { "\(dataset)/\(major)" }
}
