/// The data that an app was built for: a dataset, a model version and that model's schema hash.
///
/// `seedbank config swift` prints this value, so the publisher and the app agree on it.
public struct SeedModel: Hashable, Sendable {
  /// The dataset.
  public let dataset: DatasetName
  /// The version of the schema that the app's queries were written for.
  public let model: ModelVersion
  let pin: SchemaPin

  /// A model whose schema is pinned by its hash.
  public init(dataset: DatasetName, model: ModelVersion, schema: SHA256Digest) {
    (self.dataset, self.model, pin) = (dataset, model, .exactly(schema))
  }

  /// Accepts the schema that signed metadata names. For tools, which have no queries of their own.
  package init(dataset: DatasetName, model: ModelVersion) {
    (self.dataset, self.model, pin) = (dataset, model, .asSigned)
  }

  package var schema: SHA256Digest? { if case .exactly(let schema) = pin { schema } else { nil } }

  /// The series that the model belongs to.
  public var series: Series { Series(dataset, model: model) }
}

enum SchemaPin: Hashable, Sendable {
  case exactly(SHA256Digest)
  case asSigned

  func admits(_ schema: SHA256Digest) -> Bool { self == .asSigned || self == .exactly(schema) }
}
