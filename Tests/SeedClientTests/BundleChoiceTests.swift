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
    var bundle = 100
    var bundleModel: ModelVersion = "2.1"
    var isOtherEpoch = false
    var isNews = true
    var hasFailed = false
    var stored: Int?
    var app: ModelVersion = "2.1"
    var pin = BundleChoiceTests.schema
    let choice: Choice
  }

  private static let cases = [
    Case(testDescription: "a first start", choice: .bundled),
    Case(
      testDescription: "a first start, long after the metadata was signed", isNews: false, choice: .bundled),
    Case(testDescription: "the app was updated and brings newer data", stored: 99, choice: .bundled),
    Case(testDescription: "the bundle is what is there", stored: 100, choice: .stored),
    Case(testDescription: "deltas have gone beyond the bundle", isNews: false, stored: 150, choice: .stored),
    Case(
      testDescription: "the bundle is older than the floor, and nothing else is there", bundle: 1,
      isNews: false,
      choice: .bundled),
    Case(
      testDescription: "the bundle has a newer minor, which the app can open", bundleModel: "2.3", stored: 99,
      choice: .bundled),
    Case(
      testDescription: "the app was downgraded, the data is newer", bundleModel: "2.0", stored: 150,
      app: "2.0",
      choice: .stored),
    Case(
      testDescription: "the app needs a minor that the bundle lacks", bundleModel: "2.0", choice: .stored),
    Case(testDescription: "the bundle is of another major", bundleModel: "3.0", choice: .stored),
    Case(
      testDescription: "an app of a new major, whose data cannot be opened, with its own bundle",
      bundleModel: "3.0", app: "3.0", choice: .bundled),
    Case(testDescription: "the app pins another schema", pin: other, choice: .stored),
    Case(
      testDescription: "the bundle begins a newer epoch", bundle: 1, isOtherEpoch: true, stored: 99,
      choice: .bundled),
    Case(
      testDescription: "the bundle is of an epoch that has ended", isOtherEpoch: true, isNews: false,
      stored: 2,
      choice: .stored),
    Case(testDescription: "its snapshot failed here before", hasFailed: true, stored: 99, choice: .stored),
    Case(
      testDescription: "its snapshot failed here, and nothing else is there", hasFailed: true, choice: .stored
    ),
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
