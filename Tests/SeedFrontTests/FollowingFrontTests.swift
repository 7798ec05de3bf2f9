import SeedFormat
import SeedHTTP
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedFront

@Suite struct FollowingFrontTests {
  private static let start = FrontPublication.start
  private let progress = FollowProgress(FollowState(every: 5, now: start))

  private func view(following: Bool = true) throws -> CatalogView {
    var view = CatalogView(try FrontPublication.usualCatalog.get())
    if following { view.follow = progress }
    return view
  }

  private func changes(
    since: Int, _ more: String = "", epoch: Epoch? = FrontPublication.epoch, following: Bool = true
  ) throws -> HTTPResponse {
    let epoch = epoch.map { "&epoch=\($0)" } ?? ""
    return Router().answer(
      HTTPRequest(.get, "/v1/transit/changes?model=2.1&since=\(since)\(more)\(epoch)"),
      in: try view(following: following))
  }

  private func look(_ isGood: Bool = true, at now: UTCTime = start) {
    progress.note { state in
      state.begins()
      if isGood { state.succeeded(at: now) } else { state.failed("it is away") }
    }
  }

  @Test func `a client ahead of a copy is asked to wait instead of taking a snapshot`() throws {
    for since in [105, 104 + FrontLimits.versionsAhead] {
      let response = try changes(since: since)
      #expect(response.status == 503 && response.headers["Retry-After"] == "2")
      #expect(response.problem == .overloaded && response.json?["snapshot"] == nil)
      #expect(response.headers["Cache-Control"] == "no-store")
    }
    let behind = try changes(since: 103, "&to=105")
    #expect(behind.status == 503)
    #expect(behind.json?["detail"]?.string?.hasPrefix("Version 105 has not reached this copy") == true)
    #expect(try changes(since: 99, "&to=105").problem == .versionGone, "it needs a snapshot in any case")
    #expect(try changes(since: 104).status == 200)
  }

  @Test func `a client too far ahead or without an epoch gets version-ahead`() throws {
    #expect(try changes(since: 105 + FrontLimits.versionsAhead).problem == .versionAhead)
    #expect(try changes(since: 105, epoch: nil).problem == .versionAhead)
    #expect(try changes(since: 105, following: false).problem == .versionAhead)
    #expect(try changes(since: 99).problem == .versionGone)
  }

  @Test func `an unknown epoch counts as old only after an update of the copy that began later`() throws {
    let other = Epoch.random()
    look()
    #expect(try changes(since: 3, epoch: other).problem == .overloaded)
    look(false)
    #expect(try changes(since: 3, epoch: other).problem == .overloaded)
    look()
    #expect(try changes(since: 3, epoch: other).problem == .versionGone)
    #expect(try changes(since: 3, epoch: Epoch.random()).problem == .overloaded)
    #expect(try changes(since: 3, epoch: Epoch.random(), following: false).problem == .versionGone)
    let another = Epoch.random()
    progress.note { $0.begins() }
    #expect(try changes(since: 3, epoch: another).problem == .overloaded)
    progress.note { $0.succeeded(at: Self.start) }
    #expect(try changes(since: 3, epoch: another).problem == .overloaded)
    look()
    #expect(try changes(since: 3, epoch: another).problem == .versionGone)
  }

  @Test func `invented epochs make other clients wait for at most one more update`() throws {
    let known = Epoch.random()
    _ = progress.mayBeNewer(known)
    look()
    #expect(!progress.mayBeNewer(known))
    for _ in 0..<1000 { _ = progress.mayBeNewer(Epoch.random()) }
    #expect(progress.mayBeNewer(known))
    look()
    #expect(!progress.mayBeNewer(known))
  }

  @Test func `a copy whose updates fail for a minute is reported as late everywhere`() throws {
    look(false)
    #expect(progress.current.lateSince(at: Self.start.adding(seconds: 61)) == Self.start, "since its start")
    look(at: Self.start)
    let state = progress.current
    #expect(state.lateSince(at: Self.start.adding(seconds: 60)) == nil)
    #expect(state.lateSince(at: Self.start.adding(seconds: 61)) == Self.start)
    #expect(state.lateSince(at: Self.start.adding(seconds: -3600)) == Self.start)
    var view = try view()
    func ready() throws -> JSONValue? {
      Router(now: { Self.start }).answer(HTTPRequest(.get, "/readyz"), in: view).json
    }
    #expect(
      try ready()?["follows"] == ["lastLook": .string(Self.start.text), "failing": false, "late": false])
    look(false)
    view.standing.lateSince = Self.start
    let late = try ready()
    #expect(
      late?["ready"] == true && late?["follows"]?["late"] == true && late?["follows"]?["failing"] == true)
    #expect(late?["warnings"]?.elements?.contains { $0.string?.contains("serves a copy") == true } == true)
    let overview = Router().answer(HTTPRequest(.get, "/v1"), in: view).json
    #expect(overview?["lateSince"]?.string == Self.start.text)
    let metrics = Router().answer(HTTPRequest(.get, "/metrics"), in: view).bytes
    let text = String(decoding: metrics, as: UTF8.self)
    #expect(text.contains("seedbank_follow_looks_total{result=\"failed\"} 2"))
    #expect(text.contains("seedbank_follow_last_good_look_timestamp_seconds 1790000000"))
  }

  @Test func `a front that serves no copy reports nothing about one`() throws {
    let view = try view(following: false)
    #expect(Router().answer(HTTPRequest(.get, "/readyz"), in: view).json?["follows"] == nil)
    let metrics = Router().answer(HTTPRequest(.get, "/metrics"), in: view).bytes
    #expect(!String(decoding: metrics, as: UTF8.self).contains("seedbank_follow"))
  }
}
