package import SeedFormat

/// What a seed says of itself, in its table `seedbank_meta`.
package struct SeedMeta: Hashable, Sendable {
  package var series: Series
  /// The model of the file: the newest minor of its series when it was made.
  package var model: ModelVersion
  package var epoch: Epoch
  package var version: Version
  package var schema: SHA256Digest
  package var digest: SHA256Digest
  package var provenance: Provenance

  package init(
    series: Series, model: ModelVersion, epoch: Epoch, version: Version, schema: SHA256Digest,
    digest: SHA256Digest, provenance: Provenance
  ) {
    self.series = series
    self.model = model
    self.epoch = epoch
    self.version = version
    self.schema = schema
    self.digest = digest
    self.provenance = provenance
  }
}

/// Where data comes from and under which terms; it travels with the data.
package struct Provenance: Hashable, Sendable {
  package var license: String?
  package var attribution: String?
  package var source: String?

  package init(license: String? = nil, attribution: String? = nil, source: String? = nil) {
    self.license = license
    self.attribution = attribution
    self.source = source
  }
}

/// A file that is not a seed, or not one that this code can read.
package struct NotASeed: Error, Hashable, Sendable, CustomStringConvertible {
  package let reason: String

  package init(_ reason: String) { self.reason = reason }

  package var description: String { "not a seed: \(reason)" }
}
