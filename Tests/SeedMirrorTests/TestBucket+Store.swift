import SeedFormat
import SeedPublication
import Support
import Testing

@testable import SeedMirror

extension TestBucket {
  func store(
    _ path: String = "seeds/prod", secret: String? = nil, token: String? = nil,
    limits: BucketLimits = BucketLimits(pauseMicroseconds: 1000),
    isOver: @escaping @Sendable () -> Bool = { false }
  ) throws -> BucketStore {
    var environment = environment
    environment["AWS_SECRET_ACCESS_KEY"] = secret ?? self.secret
    environment["AWS_SESSION_TOKEN"] = token
    let address = try #require(BucketAddress(address(path)))
    return BucketStore(address, limits: limits, isOver: isOver) { [environment] in
      try BucketCredentials(environment, profile: nil)
    }
  }

  /// Lets the requests of these numbers fail; 0 is the next one. Returns the number of requests since the last
  /// fault, and whether that fault occurred.
  @discardableResult
  func arm(_ fault: String) throws -> (requests: Int, isMet: Bool) {
    let request = BucketRequest(
      method: .put, url: address("faults"),
      body: (.bytes(Array(fault.utf8)), fault.utf8.count))
    let answer = try BucketConnection(region: "us-east-1", BucketLimits()).answer(to: request, as: nil)
    let state = try JSONValue(parsing: answer.body)
    return (state["requests"]?.integer ?? 0, state["isMet"] == true)
  }
}
