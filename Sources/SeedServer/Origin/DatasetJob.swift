import SeedDatabase
package import SeedFormat
import SeedTrust

/// All that a step of one dataset needs to know from its configuration.
@dynamicMemberLookup
package struct DatasetJob: Sendable {
  package let name: DatasetName
  package let origin: any OriginPlace
  package let plans: [SeriesPlan]
  package var policy: PublishingPolicy
  /// What the origin held when the newest model was made; `nil` where nobody wrote it down.
  package var knownOrigin: OriginOutline?
  /// Seconds to wait for an origin that another process has locked.
  package var originWaitSeconds = 10
  /// Seconds between two looks at the origin, where a process publishes on; only told.
  package var checkSeconds: Int?
  /// Asked under the publication's lock; throws where this work is not what the operator's files say any more.
  package var confirm: @Sendable () throws -> Void = {}

  package init(
    name: DatasetName, origin: any OriginPlace, plans: [SeriesPlan],
    policy: PublishingPolicy = PublishingPolicy()
  ) {
    (self.name, self.origin, self.plans, self.policy) = (name, origin, plans, policy)
  }

  package subscript<Value>(dynamicMember field: WritableKeyPath<PublishingPolicy, Value>) -> Value {
    get { policy[keyPath: field] }
    set { policy[keyPath: field] = newValue }
  }

  func lifecycle(_ series: Series) -> Lifecycle { policy.lifecycles[series.major] ?? .active }

  /// What an origin that holds this has gained since the newest model was made.
  package func gain(in outline: OriginOutline) -> OriginGain {
    guard let knownOrigin, let newest = plans.last else { return OriginGain() }
    return OriginGain(outline, since: knownOrigin, without: newest.schema)
  }

  /// As ``gain(in:)``, of an origin that is open.
  package func gain(of origin: any Origin) throws -> OriginGain {
    knownOrigin == nil ? OriginGain() : gain(in: try origin.outline())
  }

  /// How the origin looks; see ``OriginPlace/look()``.
  func look() throws -> OriginLook {
    guard isRetired else { return try origin.look() }
    return OriginLook(stamp: UnneededStamp(), open: { [origin] in try origin.open(waitSeconds: $0) })
  }

  /// The origin, made ready and open, for who looks at it without a step.
  package func readyOrigin() throws -> any Origin {
    try origin.prepare()
    return try openOrigin()
  }

  /// The origin, open.
  func openOrigin() throws -> any Origin { try origin.open(waitSeconds: originWaitSeconds) }

  var isRetired: Bool { plans.allSatisfy { isRetired($0.series) } }

  func isRetired(_ series: Series) -> Bool { lifecycle(series).isRetired }
}
