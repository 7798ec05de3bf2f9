/// The usual names in a deployment's folder.
package enum DeploymentNames {
  package static let file = "seedbank.json"
  /// In a dataset's folder.
  package static let datasetFile = "dataset.json"
  package static let publication = "publication"
  package static let state = "state"
  package static let keys = "keys"
  /// The clients' trust anchor: the first root metadata.
  package static let root = "root.json"

  /// Names that a dataset's folder cannot have.
  package static let taken = [publication, state, keys]
}
