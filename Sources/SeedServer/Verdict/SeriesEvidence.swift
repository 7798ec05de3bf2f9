package import SeedFormat
package import SeedSystem
package import SeedTrust

/// All that can be known of a series when somebody asks how it stands.
package struct SeriesEvidence: Hashable, Sendable {
  package let series: Series
  package var publishedAt: UTCTime
  package var isRetired = false
  package var isHeld = false
  /// Whether a new client can begin.
  package var hasSnapshot = true
  /// Published files that are not there, or not as long as was signed.
  package var missingFiles = 0
  /// Whether clients refuse it, because a signature on the way to it has expired.
  package var isExpired = false
  /// Whether a publisher that starts now would lack a key.
  package var lacksKeys = false
  /// Parts that the origin has gained and clients do not get.
  package var gained = 0
  /// Whether the newest step that read the origin kept it open for too long.
  package var isOriginHeldOpen = false
  /// What its publisher's machine knows against it.
  package var doubts: Set<SeriesDoubt> = []
  /// `nil` where nobody tells of the steps.
  package var steps: Steps?

  /// What its publisher tells.
  package struct Steps: Hashable, Sendable {
    package var newest: StepOutcome
    package var newestAt: UTCTime
    /// Seconds after which the next step is missed.
    package var patienceSeconds: Int
    /// Seconds within which a new version is expected.
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

  /// Of a series that is published, before anything else is known of it.
  package init(_ metadata: SeriesMetadata) {
    self.init(metadata.series, publishedAt: metadata.state.publishedAt)
    isRetired = metadata.state.lifecycle.isRetired
    isHeld = metadata.state.hold != nil
  }
}

extension SeriesEvidence.Steps {
  /// `nil` where the facts know of no step.
  package init?(_ facts: SeriesFacts?) {
    guard let facts, let newest = facts.look.newest, let at = facts.look.newestAt else { return nil }
    self.init(
      newest, at: at, patienceSeconds: StepRhythm.patienceSeconds(facts.checkSeconds),
      changeSeconds: facts.expectedChangeSeconds)
  }
}
