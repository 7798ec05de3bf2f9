import Foundation
import SeedFormat
import SeedHTTP
import SeedPublication
import SeedSigning
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedFront

/// A publication that changes under its front without a new step.
@Suite struct FrontStandingTests {
  let publication: FrontPublication
  let source: CatalogSource
  let said = Said()
  let router = Router()
  /// While all signatures are valid.
  private let now = FrontPublication.start.adding(seconds: 60)

  init() throws {
    publication = try FrontPublication(history: ())
    source = CatalogSource(publication.directory, log: OperatorLog { [said] in said.add($0.message) })
    source.checkStanding(at: now)
  }

  private func get(_ target: String) -> HTTPResponse {
    router.answer(HTTPRequest(.get, target), in: source.current())
  }

  @Test func `a front is ready as long as one snapshot of each series has its file`() throws {
    #expect(get("/readyz").status == 200)
    let all = [
      try publication.snapshot(FrontPublication.transit, 104),
      try publication.snapshot(FrontPublication.transit, 100),
      try publication.snapshot(FrontPublication.transit, 100, .xz),
    ]
    func redirected(_ encoding: ContentEncoding) -> HTTPResponse {
      get("/v1/transit/snapshot?model=2.1&encoding=\(encoding.rawValue)")
    }
    for (place, snapshot) in all.enumerated() {
      #expect(get("/readyz").status == 200, "\(place)")
      #expect(redirected(snapshot.encoding).headers["Location"] == "/\(snapshot.filePath)", "\(place)")
      let file = publication.directory.file(snapshot)
      // The file of one is shorter than signed.
      if place == 1 { try DurableFile.write([1], to: file) } else { try Folder.remove(file) }
      source.checkStanding(at: now)
      source.checkStanding(at: now)
    }
    let answer = get("/readyz")
    #expect(answer.status == 503 && answer.headers["Retry-After"] != nil)
    for encoding in ContentEncoding.allCases { #expect(redirected(encoding).status == 503) }
    #expect(answer.json?["series"]?.elements?.first?["snapshot"] == nil)
    #expect(
      answer.json?["warnings"]?.elements?.last?.string?.hasPrefix("3 files of transit/2") == true)
    #expect(said.lines.count == 3, "\(said.lines)")
  }

  @Test func `a missing or truncated delta or old snapshot is reported, and the front stays ready`()
    throws
  {
    let objects = try publication.catalog().allSeries.flatMap(\.objects)
    for object in objects.filter({ $0.span != nil }) + [
      try publication.snapshot(FrontPublication.transit, 90)
    ] {
      let file = publication.directory.file(object)
      let bytes = try DurableFile.read(file, limit: 10_000)
      for damage in [{ try Folder.remove(file) }, { try DurableFile.write(bytes.dropLast(), to: file) }] {
        try damage()
        source.checkStanding(at: now)
        let view = source.current()
        #expect(
          view.missingFileWarnings.first?.hasPrefix("1 file of transit/2 is missing") == true,
          "\(object)")
        #expect(view.status(at: now).series[0].problems(at: now).first == .filesMissing, "\(object)")
        #expect(get("/readyz").status == 200)
        try DurableFile.write(bytes, to: file)
        source.checkStanding(at: now)
        #expect(source.current().missingFileWarnings.isEmpty)
      }
    }
  }

  @Test func `many deltas are checked in turns and a missing one stays reported until its turn`() throws {
    let catalog = try publication.catalog()
    let deltas = catalog.allSeries.flatMap(\.objects).filter { $0.span != nil }
    var look = FileLook(deltasAtOnce: 2)
    let file = publication.directory.file(deltas[4])
    let bytes = try DurableFile.read(file, limit: 10_000)
    try Folder.remove(file)
    #expect(look.missing(of: catalog).isEmpty && look.missing(of: catalog).isEmpty)
    #expect(look.missing(of: catalog) == [deltas[4].filePath])
    try DurableFile.write(bytes, to: file)
    #expect(look.missing(of: catalog) == [deltas[4].filePath])
    #expect(look.missing(of: catalog).isEmpty)
  }

  @Test func `a publication that disappears is reported and served again when it returns`() throws {
    let (path, away) = (publication.directory.path, publication.folder("away"))
    let object = try publication.snapshot(FrontPublication.transit, 104)
    try Folder.rename(path, to: away)
    source.look()
    source.checkStanding(at: now)
    #expect(get("/readyz").status == 503)
    let error = try #require(get("/readyz").json?["error"]?.string)
    #expect(error.contains("no publication at its place: is its disk mounted?"), "\(error)")
    #expect(!error.contains(publication.folder.path) && !error.contains("new-epoch"))
    #expect(said.lines.contains { $0.contains("or start over with 'seedbank new-epoch'") })
    for target in ["/\(object.filePath)", "/v1/transit/changes?model=2.1&since=100"] {
      #expect(get(target).problem == .publicationUnavailable && get(target).headers["Retry-After"] == "2")
    }
    #expect(get("/metadata/timestamp.json").status == 200, "it is in memory, and signed")
    try Folder.rename(away, to: path)
    source.look()
    source.checkStanding(at: now)
    #expect(get("/readyz").status == 200 && get("/\(object.filePath)").status == 200)
  }

  @Test func `the list of datasets shows expired signatures from that moment on`() throws {
    let heard = Said()
    source.whenChanged { heard.add("changed") }
    func expired() -> [String] {
      (get("/v1").json?["signatures"]?.elements ?? []).filter { $0["expired"] == true }
        .compactMap { $0["role"]?.string }
    }
    let first = get("/v1").headers["ETag"]
    #expect(expired().isEmpty)
    source.checkStanding(at: now.adding(seconds: 1))
    #expect(heard.lines.count == 1, "nothing changed")
    source.checkStanding(at: FrontPublication.start.adding(seconds: RepositorySigner.onlineSeconds))
    #expect(expired() == ["timestamp", "snapshot", "transit-2"])
    #expect(get("/v1").headers["ETag"] != first && heard.lines.count == 2)
    #expect(get("/readyz").status == 200, "clients that have data keep it, and new ones wait")
  }

  @Test func `facts are served per model and may be missing`() throws {
    let missing = get("/v1/transit/facts?model=2.1")
    #expect(missing.status == 404)
    #expect(missing.json?["detail"]?.string?.contains("followers do not copy facts") == true)
    #expect(get("/v1/transit/facts").status == 400)
    #expect(get("/v1/nothing/facts?model=2.1").status == 404)
    let facts = SeriesFacts.example(of: FrontPublication.transit)
    try publication.directory.facts.write(facts)
    source.lookAtFacts()
    let answer = get("/v1/transit/facts?model=2.1")
    #expect(answer.json == facts.json && answer.headers["Cache-Control"] == CacheRule.current)
    try publication.publish(
      FrontPublication.transit, head: 105, floor: 105, [publication.snapshot(FrontPublication.transit, 105)])
    try source.reload()
    #expect(get("/v1/transit/facts?model=2.1").json == facts.json, "they outlast a publication")
    try DurableFile.write([0xFF], to: publication.directory.facts.file(FrontPublication.transit))
    source.lookAtFacts()
    #expect(get("/v1/transit/facts?model=2.1").status == 404)
  }
}
