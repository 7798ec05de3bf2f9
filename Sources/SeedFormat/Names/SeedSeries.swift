/// A dataset at one major, such as `transit/2`. Versions count per series.
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

  /// The name of its TUF role. The last hyphen separates the major, because only the dataset's name may have others.
  package var roleName: String { "\(dataset)-\(major)" }

  package var targetPrefix: String { "\(dataset)/\(major)/" }

  /// Compares datasets, then majors.
  public static func < (left: Self, right: Self) -> Bool {
    (left.dataset.text, left.major) < (right.dataset.text, right.major)
  }

  /// `dataset/major`.
  public var description: String { "\(dataset)/\(major)" }
}
