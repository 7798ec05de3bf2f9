import SeedDatabase
package import SeedFormat
import SeedTrust

/// The configuration of one dataset for its steps.
@dynamicMemberLookup
package struct DatasetJob: Sendable {
  package let name: DatasetName
  package let origin: any OriginPlace
  package let plans: [SeriesPlan]
  package var policy: PublishingPolicy
  /// The outline of the origin when the newest model was made; `nil` if not recorded.
  package var knownOrigin: OriginOutline?
  /// How long to wait for an origin that another process has locked.
  package var originWaitSeconds = 10
  /// The interval of checks by `seedbank run`. Used only for reports.
  package var checkSeconds: Int?
  /// The time limit of the program that fills the origin; `nil` without a program. Used only for reports.
  package var commandSeconds: Int?
  /// Called under the publication's lock. Throws if the operator's files no longer match this job.
  package var confirm: @Sendable () throws -> Void = {}

  package init(
    name: DatasetName, origin: any OriginPlace, plans: [SeriesPlan],
    policy: PublishingPolicy = PublishingPolicy()
  ) { (self.name, self.origin, self.plans, self.policy) = (name, origin, plans, policy) }

  package subscript<Value>(dynamicMember field: WritableKeyPath<PublishingPolicy, Value>) -> Value {
    get { policy[keyPath: field] }
    set { policy[keyPath: field] = newValue }
  }

  func lifecycle(_ series: SeedSeries) -> SeedLifecycle { policy.lifecycles[series.major] ?? .active }

  package func gain(in outline: OriginOutline) -> OriginGain {
    guard let knownOrigin, let newest = plans.last else { return OriginGain() }
    return OriginGain(outline, since: knownOrigin, without: newest.schema)
  }

  package func gain(of origin: any Origin) throws -> OriginGain {
    knownOrigin == nil ? OriginGain() : gain(in: try origin.outline())
  }

  /// Prepares and opens the origin, for reads outside a step.
  package func readyOrigin() throws -> any Origin {
    try origin.prepare()
    return try origin.open(waitSeconds: originWaitSeconds)
  }

  var isRetired: Bool { plans.allSatisfy { isRetired($0.series) } }

  func isRetired(_ series: SeedSeries) -> Bool { lifecycle(series).isRetired }
}
