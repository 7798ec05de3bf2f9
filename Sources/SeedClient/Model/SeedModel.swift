public import SeedFormat

/// The data that an app was built for: a dataset, a version of its model and that model's schema hash.
///
/// `seedbank config swift` prints this value, so the publisher and the app agree on it.
public struct SeedModel: Hashable, Sendable {
  /// The dataset.
  public let dataset: DatasetName
  /// The version of the schema that the app's queries were written for.
  public let version: ModelVersion
  /// `nil` accepts the schema that signed metadata names, for tools, which have no queries of their own.
  package let schema: SHA256Digest?

  /// A model whose schema is pinned by its hash.
  public init(dataset: DatasetName, version: ModelVersion, schema: SHA256Digest) {
    (self.dataset, self.version, self.schema) = (dataset, version, schema)
  }

  package init(dataset: DatasetName, version: ModelVersion) {
    (self.dataset, self.version, schema) = (dataset, version, nil)
  }

  /// The series that the model belongs to.
  public var series: SeedSeries { SeedSeries(dataset, model: version) }

  func accepts(_ signed: SHA256Digest) -> Bool { schema == nil || schema == signed }
}
