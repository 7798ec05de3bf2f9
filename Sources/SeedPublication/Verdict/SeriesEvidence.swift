package import SeedFormat
package import SeedSystem
package import SeedTrust

/// The facts from which a series' state is derived.
package struct SeriesEvidence: Hashable, Sendable {
  package let series: Series
  package var publishedAt: UTCTime
  package var isRetired = false
  package var isHeld = false
  package var hasSnapshot = true
  /// The number of published files that are missing or have the wrong length.
  package var missingFiles = 0
  /// Whether clients reject it because a required signature has expired.
  package var isExpired = false
  package var lacksKeys = false
  package var gained = 0
  package var isOriginHeldOpen = false
  package var doubts: Set<SeriesDoubt> = []
  /// `nil` if no steps are reported.
  package var steps: Steps?

  package struct Steps: Hashable, Sendable {
    package var newest: StepOutcome
    package var newestAt: UTCTime
    /// Without a step for this long, one counts as missed.
    package var patienceSeconds: Int
    package var changeSeconds: Int?

    package init(
      _ newest: StepOutcome, at newestAt: UTCTime, patienceSeconds: Int, changeSeconds: Int? = nil
    ) {
      (self.newest, self.newestAt, self.patienceSeconds) = (newest, newestAt, patienceSeconds)
      self.changeSeconds = changeSeconds
    }
  }

  package init(_ series: Series, publishedAt: UTCTime) {
    (self.series, self.publishedAt) = (series, publishedAt)
  }

  /// The evidence in the published metadata alone.
  package init(_ metadata: SeriesMetadata) {
    self.init(metadata.series, publishedAt: metadata.state.publishedAt)
    isRetired = metadata.state.lifecycle.isRetired
    isHeld = metadata.state.hold != nil
  }
}

extension SeriesEvidence.Steps {
  /// Returns `nil` if the facts record no step.
  package init?(_ facts: SeriesFacts?) {
    guard let facts, let newest = facts.look.newest, let at = facts.look.newestAt else { return nil }
    self.init(
      newest, at: at, patienceSeconds: StepRhythm.patienceSeconds(facts.checkSeconds),
      changeSeconds: facts.expectedChangeSeconds)
  }
}
