import SeedFormat
import Support
import Testing

@testable import SeedClient

@Suite struct BundleChoiceTests {
  private static let schema = SHA256Digest.of(Array("schema".utf8))
  private static let other = SHA256Digest.of(Array("another schema".utf8))
  private static let epoch = Epoch.random()
  private static let nextEpoch = Epoch.random()

  enum Choice { case bundled, stored }

  /// A row of the decision table: the bundle, the stored data, and the choice.
  struct Case: CustomTestStringConvertible {
    let testDescription: String
    let bundle: Int
    let bundleModel: ModelVersion
    let isOtherEpoch, isNews, hasFailed: Bool
    let stored: Int?
    let app: ModelVersion
    let pin: SHA256Digest
    let choice: Choice

    init(
      _ name: String, bundle: Int = 100, bundleModel: ModelVersion = "2.1", isOtherEpoch: Bool = false,
      isNews: Bool = true, hasFailed: Bool = false, stored: Int? = nil, app: ModelVersion = "2.1",
      pin: SHA256Digest = BundleChoiceTests.schema, _ choice: Choice
    ) {
      (testDescription, self.bundle, self.bundleModel) = (name, bundle, bundleModel)
      (self.isOtherEpoch, self.isNews, self.hasFailed) = (isOtherEpoch, isNews, hasFailed)
      (self.stored, self.app, self.pin, self.choice) = (stored, app, pin, choice)
    }
  }

  private static let cases = [
    Case("a first start", .bundled),
    Case("a first start, long after the metadata was signed", isNews: false, .bundled),
    Case("the app was updated and brings newer data", stored: 99, .bundled),
    Case("the bundle is what is there", stored: 100, .stored),
    Case("deltas have gone beyond the bundle", isNews: false, stored: 150, .stored),
    Case("the bundle is older than the floor, and nothing else is there", bundle: 1, isNews: false, .bundled),
    Case("the bundle has a newer minor, which the app can open", bundleModel: "2.3", stored: 99, .bundled),
    Case("the app was downgraded, the data is newer", bundleModel: "2.0", stored: 150, app: "2.0", .stored),
    Case("the app needs a minor that the bundle lacks", bundleModel: "2.0", .stored),
    Case("the bundle is of another major", bundleModel: "3.0", .stored),
    Case(
      "an app of a new major, whose data cannot be opened, with its own bundle", bundleModel: "3.0",
      app: "3.0", .bundled),
    Case("the app pins another schema", pin: other, .stored),
    Case("the bundle begins a newer epoch", bundle: 1, isOtherEpoch: true, stored: 99, .bundled),
    Case("the bundle is of an epoch that has ended", isOtherEpoch: true, isNews: false, stored: 2, .stored),
    Case("its snapshot failed here before", hasFailed: true, stored: 99, .stored),
    Case("its snapshot failed here, and nothing else is there", hasFailed: true, .stored),
  ]

  @Test(arguments: cases) func `the higher version that the app can open is chosen`(_ line: Case) throws {
    let choice = try BundleChoice(
      epoch: line.isOtherEpoch ? Self.nextEpoch : Self.epoch, version: SeedVersion(line.bundle),
      model: line.bundleModel,
      models: ["2.0": Self.schema, "2.1": Self.schema, "2.3": Self.schema, "3.0": Self.schema],
      isNewerThanTrusted: line.isNews, hasFailed: line.hasFailed)
    let app = SeedModel(dataset: "transit", version: line.app, schema: line.pin)
    let stored = try line.stored.map { (Self.epoch, try SeedVersion($0)) }
    #expect(choice.takesBundle(over: stored, for: app) == (line.choice == .bundled))
  }
}
