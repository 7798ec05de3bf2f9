import Foundation
import SeedClient
import Support
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The article on access by token: its configurations in a real nginx with the real library.
@Suite struct AccessTests {
  let article: TypedArticle
  private let port: UInt16
  private let here: TemporaryFolder

  init() throws {
    (article, port, here) = (try TypedArticle("AccessByToken"), try freePort(), try TemporaryFolder())
    try article.typeRest()
  }

  // MARK: nginx

  /// Starts nginx with the configurations under a heading, adapted to this machine's paths and ports.
  private func nginx(_ heading: String, _ changes: [(String, String)]) throws -> Nginx {
    var site = article.article.blocks.filter { $0.language == "nginx" && $0.heading == heading }
      .map(\.text).joined(separator: "\n")
    let cache = heading.replacing(" ", with: "-")
    let changes =
      changes + [
        ("listen 80;", "listen 127.0.0.1:\(port);"),
        ("server 127.0.0.1:8080;", "server 127.0.0.1:\(article.port());"),
        ("/var/cache/nginx", here(cache)),
      ]
    try here.makeFolder(cache)
    for (documented, own) in changes { site = try site.adapting(documented, to: own) }
    return try Nginx(site: site, in: here, listeningOn: port)
  }

  private func status(_ path: String, extra: String = "") throws -> Int {
    try RawClient(port: port).get("/\(path)", extra: extra).status
  }

  /// Returns one path of each kind that an app requests.
  private func files() throws -> [String] {
    let object = try article.type("cd seedbank/publication && find targets -name '*snapshot*' | head -1")
    return ["metadata/timestamp.json", "metadata/1.root.json", String(object.dropLast())]
  }

  // MARK: The app

  private func store(_ change: (inout SeedOptions) -> Void) throws -> SeedStore {
    var options = SeedOptions()
    change(&options)
    return try SeedStore(
      SeedModel(dataset: "my", version: "1.0"), server: try #require(URL(string: "http://127.0.0.1:\(port)")),
      root: Data(contentsOf: URL(filePath: article.folder("seedbank/root.json"))),
      directory: URL(filePath: here(UUID().uuidString)), options: options)
  }

  private func shops(_ store: SeedStore) async throws -> [String] {
    try await store.rows("SELECT name FROM shop")
  }

  private func publish(_ name: String, as version: Int) throws {
    try article.type("sqlite3 my.sqlite \"UPDATE shop SET name = '\(name)'\" && seedbank regenerate")
    try article.untilHead(version, of: "my")
  }

  /// Repeats updates until one finds a change, because nginx may cache the timestamp for a second or two.
  private func news(_ store: SeedStore) async throws -> UpdateReport.Action {
    var action = try await store.update().action
    while action == .upToDate { action = try await store.update().action }
    return action
  }

  /// Expects that an update fails with the documented error, which does not contain the secret.
  private func refused(_ store: SeedStore, _ secret: String) async {
    let error = await #expect(throws: SeedError.self) { try await store.update() }
    #expect(error?.code == .accessDenied && error?.isRetryable == true)
    #expect(error?.message.contains("401") == true && error?.message.contains(secret) == false)
  }

  // MARK: A token in a header

  @Test
  func `apps read through the article's nginx with a token in a header or a signed address, and not without`()
    async throws
  {
    try await expectHeader()
    try await expectSignedAddress()
  }

  /// All paths need the token in a header, which the session's configuration may also set.
  private func expectHeader() async throws {
    let token = try String(article.type("cat tokens").dropFirst("\"Bearer ".count).prefix { $0 != "\"" })
    let nginx = try nginx(
      "A token in a header",
      [("/etc/nginx/tokens", article.folder("tokens")), ("127.0.0.1:9000", "127.0.0.1:\(try freePort())")])
    defer { withExtendedLifetime(nginx) {} }
    let current = Shared("wrong")
    let seeds = try store { options in
      options.prepareRequest = { request in
        request.setValue("Bearer \(current.withLock { $0 })", forHTTPHeaderField: "Authorization")
      }
    }
    await refused(seeds, "wrong")
    current.withLock { $0 = token }
    #expect(try await seeds.update().action == .replaced)
    // The token is revoked and renewed.
    try publish("Green tea", as: 2)
    current.withLock { $0 = token.replacing(token.prefix(4), with: "0000") + "0" }
    await refused(seeds, token)
    #expect(try await shops(seeds) == ["Tea"])
    current.withLock { $0 = token }
    #expect(try await news(seeds) == .applied)
    #expect(try await shops(seeds) == ["Green tea"])
    // Cached answers need the token, too.
    let good = "Authorization: Bearer \(token)\r\n"
    for path in try files() + ["v1/my", "v1/my/snapshot?model=1.0", "v1/my/changes?model=1.0&since=1", ""] {
      for _ in 0..<2 {
        #expect(try status(path, extra: good) < 400, "\(path)")
        #expect(try status(path) == 401, "\(path)")
        #expect(try status(path, extra: "Authorization: Bearer wrong\r\n") == 401, "\(path)")
      }
    }
    for path in ["allowed", "metrics"] { #expect(try status(path, extra: good) == 404, "\(path)") }
    let configured = try store { options in
      options.configureSession = { $0.httpAdditionalHeaders?["Authorization"] = "Bearer \(token)" }
    }
    #expect(try await configured.update().action == .replaced)
    await refused(try store { _ in }, token)
  }

  // MARK: A signed address

  /// Returns the query that the article's service signs, which expires after these seconds.
  private func sign(seconds: Int) throws -> String {
    let blocks = try article.article.typed(under: "A signed address")
    return String(
      try article.type(blocks[0].text.replacing("+ 3600", with: "+ \(seconds)").replacing("+ -", with: "- "))
        .dropLast())
  }

  /// A signed address opens the app's paths until it expires, and all addresses share one cached copy.
  private func expectSignedAddress() async throws {
    let secret = try article.type("cat secret").trimmingCharacters(in: .newlines)
    let nginx = try nginx(
      "A signed address", [("SECRET", secret), ("/var/log/nginx/access.log", here("access"))])
    defer { withExtendedLifetime(nginx) {} }
    let query = Shared(try sign(seconds: -60))
    let seeds = try store { options in
      options.prepareRequest = { request in
        request.url = request.url.flatMap { URL(string: "\($0.absoluteString)?\(query.withLock { $0 })") }
      }
    }
    await refused(seeds, "signature")
    query.withLock { $0 = "" }
    await refused(seeds, "signature")
    let good = try sign(seconds: 3600)
    query.withLock { $0 = good }
    #expect(try await seeds.update().action == .replaced)
    try publish("White tea", as: 3)
    query.withLock { $0 = good.replacing("expires=1", with: "expires=2") }
    await refused(seeds, "signature")
    #expect(try await shops(seeds) == ["Green tea"])
    query.withLock { $0 = good }
    #expect(try await news(seeds) == .applied)
    for path in try files() {
      #expect(try status(path) == 401 && status("\(path)?\(try sign(seconds: -1))") == 401, "\(path)")
      for seconds in [100, 200] { #expect(try status("\(path)?\(sign(seconds: seconds))") == 200, "\(path)") }
    }
    for path in ["v1/my", "", "metadata/../v1/my"] {
      #expect(try status("\(path)?\(good)") == 404, "\(path)")
    }
    // The log contains no usable signature.
    #expect(try !here.text("access").contains("signature"))
    // Objects are cached for all signatures.
    let object = try #require(try files().last)
    #expect(try requests(kind: "snapshot", after: { try status("\(object)?\(sign(seconds: 300))") }) == 0)
  }

  private func requests(kind: String, after body: () throws -> Int) throws -> Int {
    let before = try count(kind)
    #expect(try body() == 200)
    return try count(kind) - before
  }

  private func count(_ kind: String) throws -> Int {
    let metrics = try RawClient(port: article.port()).get("/metrics").body
    return String(decoding: metrics, as: UTF8.self).split(separator: "\n")
      .filter { $0.hasPrefix("seedbank_requests_total{") && $0.contains("kind=\"\(kind)\"") }
      .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
  }
}
