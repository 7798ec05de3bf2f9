import Foundation
import SeedFormat
import SeedPublisher
import SeedSigning
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedPublication

@Suite struct StatusTests {
  private static let now = UTCTime(secondsSinceEpoch: 1_790_000_000)
  private static let series = SeedSeries("transit", model: "2.1")
  private static let patience = 450
  private static let tolerance = SeriesStatus.clockToleranceSeconds

  private static func status(_ change: (inout SeriesStatus) -> Void = { _ in }) -> SeriesStatus {
    var status = SeriesStatus(series, publishedAt: now.adding(seconds: -1000))
    status.steps = SeriesStatus.Steps(.unchanged, at: now, patienceSeconds: patience, changeSeconds: 2000)
    change(&status)
    return status
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let expected: [SeriesProblem]
    let status: SeriesStatus

    init(_ name: String, _ expected: [SeriesProblem], _ change: (inout SeriesStatus) -> Void) {
      (testDescription, self.expected, status) = (name, expected, StatusTests.status(change))
    }
  }

  static let cases = [
    Case("all is well", []) { _ in },
    Case("a step published", []) { $0.steps?.newest = .published },
    Case("signatures expired", [.expired]) { $0.isExpired = true },
    Case("no snapshot", [.noSnapshot]) { $0.hasSnapshot = false },
    Case("a file is missing", [.filesMissing]) { $0.missingFiles = 1 },
    Case("all files are missing", [.noSnapshot, .filesMissing]) {
      ($0.hasSnapshot, $0.missingFiles) = (false, 4)
    },
    Case("an origin kept open", [.originHeldOpen]) { $0.isOriginHeldOpen = true },
    Case("its model is missing", [.modelGone]) { $0.doubts = [.noModel] },
    Case("its copy cannot be read", [.copyUnreadable]) { $0.doubts = [.copy] },
    Case("its log is doubted", [.logDoubted]) { $0.doubts = [.log] },
    Case("retired, with doubts that no step can clear", []) {
      ($0.isRetired, $0.isOriginHeldOpen, $0.doubts) = (true, true, [.noModel, .copy, .log])
    },
    Case("the step was refused", [.stepFailed]) { $0.steps?.newest = .refused },
    Case("the step failed", [.stepFailed]) { $0.steps?.newest = .failed },
    Case("a rollback", [.held]) {
      $0.isHeld = true
      $0.steps?.newest = .held
    },
    Case("the last second of patience", []) { $0.steps?.newestAt = now.adding(seconds: -patience) },
    Case("no step for longer", [.noStep]) { $0.steps?.newestAt = now.adding(seconds: -patience - 1) },
    Case("failed and then gone", [.stepFailed, .noStep]) {
      $0.steps?.newest = .failed
      $0.steps?.newestAt = now.adding(days: -1)
    },
    Case("just young enough", []) { $0.publishedAt = now.adding(seconds: -2000) },
    Case("too old", [.old]) { $0.publishedAt = now.adding(seconds: -2001) },
    Case("old, where nobody expects a change", []) {
      $0.publishedAt = now.adding(days: -400)
      $0.steps?.changeSeconds = nil
    },
    Case("no step is recorded", [.notReported]) { $0.steps = nil },
    Case("no step is recorded and it is held", [.held, .notReported]) { ($0.steps, $0.isHeld) = (nil, true) },
    Case("facts from the future, as clocks differ", []) {
      $0.steps?.newestAt = now.adding(seconds: tolerance)
    },
    Case("facts from the future", [.clocksDiffer]) {
      $0.steps?.newestAt = now.adding(seconds: tolerance + 1)
    },
    Case("published in the future", [.clocksDiffer]) { $0.publishedAt = now.adding(days: 1) },
    Case("the origin has gained something", [.gained]) { $0.gained = 1 },
    Case("a retired series needs nothing of its origin", []) { ($0.isRetired, $0.gained) = (true, 3) },
    Case("retired", []) { ($0.isRetired, $0.steps, $0.publishedAt) = (true, nil, now.adding(days: -400)) },
    Case("retired after a failure", []) {
      $0.isRetired = true
      $0.steps?.newest = .failed
    },
    Case("retired, and refused by clients", [.expired, .noSnapshot]) {
      ($0.isRetired, $0.isExpired, $0.hasSnapshot) = (true, true, false)
    },
  ]

  @Test(arguments: cases) func `problems of a series are listed from the worst on`(_ one: Case) {
    #expect(one.status.problems(at: Self.now) == one.expected)
  }

  /// Each property in a bad state.
  private static let faults: [@Sendable (inout SeriesStatus) -> Void] = [
    { $0.isExpired = true }, { $0.hasSnapshot = false }, { $0.isHeld = true },
    { $0.steps?.newest = .failed }, { $0.steps?.newestAt = now.adding(days: -1) },
    { $0.publishedAt = now.adding(days: -1) }, { $0.publishedAt = now.adding(days: 1) }, { $0.steps = nil },
    { $0.gained = 2 }, { $0.missingFiles = 2 }, { $0.isOriginHeldOpen = true },
    { $0.doubts = [.log] },
  ]

  /// Bit sets of faults: all in a full run, otherwise those with one to three faults. Each fault adds its own problem.
  private static func combinations(_ count: Int) -> [Int] {
    (1..<(1 << count)).filter { Stage.current > .quick || $0.nonzeroBitCount <= 3 }
  }

  @Test func `a series with any fault is not current`() {
    for chosen in Self.combinations(Self.faults.count) {
      let status = Self.status { status in
        for (place, fault) in Self.faults.enumerated() where chosen & 1 << place != 0 { fault(&status) }
      }
      let problems = status.problems(at: Self.now)
      #expect(!problems.isEmpty, "\(chosen)")
      #expect(problems == problems.sorted { $0.rawValue < $1.rawValue }, "\(chosen)")
    }
  }

  // MARK: - A publication

  private static func signature(_ role: String, days: Int, isOffline: Bool = false) -> SignatureExpiry {
    SignatureExpiry(role, now.adding(days: days), isOffline: isOffline)
  }

  private func publication(_ change: (inout PublicationStatus) -> Void = { _ in }) -> PublicationProblem? {
    var status = PublicationStatus()
    status.series = [Self.status()]
    status.lifetimeSeconds = RepositorySigner.onlineSeconds
    status.signatures = [
      Self.signature("timestamp", days: 7), Self.signature("root", days: 300, isOffline: true),
    ]
    change(&status)
    return status.problems(at: Self.now).first
  }

  /// From the worst on, each with its cause.
  private static let problems: [(PublicationProblem, @Sendable (inout PublicationStatus) -> Void)] = [
    (.nothingPublished, { $0.isPublished = false }),
    (.expired, { $0.signatures.append(signature("transit-2", days: -1)) }),
    (.unreadable, { $0.isUnreadable = true }),
    (.notReady([series]), { $0.series[0].hasSnapshot = false }),
    (.diskFull, { $0.isDiskFull = true }),
    (.publisher(.datasetUnpublished), { $0.publisher.insert(.datasetUnpublished) }),
    (.needAttention([series]), { $0.series[0].isHeld = true }),
    (.diskNearlyFull, { $0.isDiskNearlyFull = true }),
    (.mirrorLate, { $0.hasLateMirror = true }),
    (.notRenewed, { $0.signatures.append(signature("snapshot", days: 2)) }),
    (.signaturesEnding, { $0.signatures.append(signature("targets", days: 10, isOffline: true)) }),
    (.publisher(.modelUnpublished), { $0.publisher.insert(.modelUnpublished) }),
    (.publisher(.keyFiles), { $0.publisher.insert(.keyFiles) }),
    (.publisher(.keyChange), { $0.publisher.insert(.keyChange) }),
    (.publisher(.stateDisk), { $0.publisher.insert(.stateDisk) }),
    (.notReported([series]), { $0.series[0].steps = nil }),
  ]

  @Test func `a publication is current only without any problem and else reports the worst one`() {
    #expect(publication() == nil)
    for chosen in Self.combinations(Self.problems.count) {
      let places = Self.problems.indices.filter { chosen & 1 << $0 != 0 }
      let problem = publication { status in for place in places { Self.problems[place].1(&status) } }
      #expect(problem == Self.problems[places[0]].0, "\(places)")
    }
  }

  @Test(arguments: PublisherProblem.allCases)
  func `a publication is not current while its publisher has a problem`(_ problem: PublisherProblem) {
    let worst = publication { $0.publisher = [problem] }
    #expect(
      worst == .publisher(problem) && worst?.level == (problem == .datasetUnpublished ? .bad : .soon))
  }

  @Test func `all problems of a publication are reported from the worst on`() {
    var status = PublicationStatus()
    (status.isDiskNearlyFull, status.hasLateMirror) = (true, true)
    status.publisher = [.stateDisk, .keyFiles, .datasetUnpublished]
    #expect(
      status.problems(at: Self.now) == [
        .publisher(.datasetUnpublished), .diskNearlyFull, .mirrorLate, .publisher(.keyFiles),
        .publisher(.stateDisk),
      ])
  }

  @Test func `exactly the series with a problem are reported`() throws {
    let others = try (1...3).map { SeriesStatus(try SeedSeries("other", major: $0), publishedAt: Self.now) }
    var held = others[1]
    held.isHeld = true
    var told = others[0]
    told.steps = SeriesStatus.Steps(.published, at: Self.now, patienceSeconds: 1)
    #expect(publication { $0.series += [told, held, others[2]] } == .needAttention([held.series]))
    #expect(publication { $0.series += [told, others[2]] } == .notReported([others[2].series]))
    #expect(publication { $0.series += [told] } == nil)
  }

  @Test func `steps count as missing after five intervals and a program's time, or 26 hours`() {
    for (check, seconds) in [(nil, 93_600), (2, 450), (90, 450), (600, 3000), (Int.max, 432_000)]
      as [(Int?, Int)]
    {
      #expect(StepRhythm.patienceSeconds(check) == seconds)
    }
    #expect(StepRhythm.patienceSeconds(2, 600) == 450 + 600 && StepRhythm.patienceSeconds(nil, 600) == 93_600)
  }

  @Test func `the alerts use the intervals of the code`() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Config/prometheus/alerts.yaml").path
    let rules = String(decoding: try DurableFile.read(file, limit: 100_000), as: UTF8.self)
    #expect(rules.contains("> \(StepRhythm.missedTurns) * seedbank_expected_look_seconds\n"))
    #expect(
      rules.contains("> \(StepRhythm.timerSeconds / 3600) * 3600\n") && StepRhythm.timerSeconds % 3600 == 0)
    #expect(rules.contains("seedbank_publication_timestamp_seconds > seedbank_expected_change_seconds\n"))
    func days(_ roles: String) throws -> [Int] {
      try rules.matches(
        of: Regex(
          "role\(roles)\"root\\|targets\"} - time\\(\\) < ([0-9]+) \\* 86400", as: (Substring, Substring).self
        )
      )
      .compactMap { Int($0.1) }
    }
    let (offline, online) = (try days("=~"), try days("!~"))
    #expect(
      !offline.isEmpty && offline.allSatisfy { $0 < SignatureExpiry.warningDays }, "the page says it first")
    let renewed = RepositorySigner.onlineSeconds - Publisher.renewalSeconds
    #expect(!online.isEmpty && online.allSatisfy { $0 * UTCTime.secondsPerDay < renewed })
  }

  @Test func `a disk is nearly full by its share or by the size of the publication`() {
    let disk = DiskUse(freeBytes: 50, allBytes: 1000)
    #expect(!disk.isNearlyFull(beside: 50) && disk.isNearlyFull(beside: 51))
    #expect(DiskUse(freeBytes: 49, allBytes: 1000).isNearlyFull(beside: 0))
    #expect(DiskUse(freeBytes: 999_999, allBytes: 1e12).isFull)
    #expect(!DiskUse(freeBytes: 1_000_000, allBytes: 1e12).isFull)
    #expect(DiskUse(of: "/nowhere/at/all") == nil)
  }
}
