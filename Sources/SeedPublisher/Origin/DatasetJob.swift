import SeedDatabase
package import SeedFormat
import SeedTrust

/// The configuration for the steps of one dataset.
@dynamicMemberLookup
package struct DatasetJob: Sendable {
  package let name: DatasetName
  private let place: any OriginPlace
  package let plans: [SeriesPlan]
  package var policy: PublishingPolicy
  /// The origin's outline at the time the newest model was made; `nil` if it was not recorded.
  package var knownOrigin: OriginOutline?
  /// How long to wait for an origin that another process has locked.
  package var originWaitSeconds = 10
  /// The interval, in seconds, at which `seedbank run` checks the origin. Used only for reports.
  package var checkSeconds: Int?
  /// The time limit for the program that fills the origin; `nil` if there is no program. Used only for reports.
  package var commandSeconds: Int?
  /// Called under the publication's lock. Throws if the operator's files no longer match this job.
  package var confirm: @Sendable () throws -> Void = {}

  package init(
    name: DatasetName, origin: any OriginPlace, plans: [SeriesPlan],
    policy: PublishingPolicy = PublishingPolicy()
  ) { (self.name, place, self.plans, self.policy) = (name, origin, plans, policy) }

  package var origin: any OriginPlace { place.reading(activePlans) }

  /// The plans of majors that are not retired. Only these need the origin.
  package var activePlans: [SeriesPlan] { plans.filter { !isRetired($0.series) } }

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

  var isRetired: Bool { activePlans.isEmpty }

  func isRetired(_ series: SeedSeries) -> Bool { lifecycle(series).isRetired }

  /// The series that are not retired. Only these are delegated, because no step publishes a retired one.
  var updatedSeries: [SeedSeries] { activePlans.map(\.series) }
}
