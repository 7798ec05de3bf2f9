import Foundation
import SeedFormat
import SeedFront
import SeedPublication
import SeedTrust
import Support
import Testing

/// The documented nginx configuration before a front.
@Suite struct ProxyTests {
  private let served: ServedDeployment
  private let proxy: NginxProxy

  init() throws {
    served = try ServedDeployment(seed: 61)
    for _ in 0..<3 { try served.publish() }
    proxy = try NginxProxy(before: served.front.port, slices: "32k")
  }

  private func get(
    _ target: String, _ fields: String = "", method: String = "GET"
  ) throws -> RawClient.Response {
    try RawClient(port: proxy.plainPort).get(target, method: method, extra: fields)
  }

  private var changes: String { "/v1/test/changes?model=1.0&since=1" }

  @Test func `the proxy serves verified TLS, redirects HTTP to it, and passes errors on uncached`() throws {
    let answer = try Tool.run([
      "curl", "-sS", "--fail", "--cacert", proxy.certificate, "-D", "-",
      "https://localhost:\(proxy.tlsPort)/v1/test",
    ])
    #expect(answer.contains("HTTP/2 200"))
    #expect(answer.lowercased().contains("strict-transport-security:"))
    #expect(throws: Tool.Failure.self) {
      try Tool.run([
        "curl", "-sS", "--tls-max", "1.1", "--cacert", proxy.certificate,
        "https://localhost:\(proxy.tlsPort)/v1",
      ])
    }
    let redirect = try RawClient(port: proxy.redirectPort).get("/v1/test?a=b")
    #expect(redirect.status == 308 && redirect["Location"] == "https://localhost/v1/test?a=b")
    for (target, status, type) in [
      ("/v1/test/changes?model=1.0&since=999", 410, "version-ahead"), ("/v1/none", 404, "unknown-dataset"),
      ("/v1/test/changes?model=1.0", 400, "bad-request"),
    ] {
      for _ in 0..<2 {
        let answer = try get(target)
        #expect(answer.status == status && answer["Content-Type"] == "application/problem+json")
        #expect(String(decoding: answer.body, as: UTF8.self).contains(type))
        #expect(answer["X-Cache"] == "MISS" && answer["Access-Control-Allow-Origin"] == "*")
      }
    }
    #expect(try get("/v1", "", method: "POST").status == 405)
    let preflight = try get("/v1/test", method: "OPTIONS")
    #expect(preflight.status == 204 && preflight["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS")
  }

  @Test func `repeated, conditional and HEAD requests are answered from the cache, with one copy per coding`()
    throws
  {
    for target in ["/v1/test", "/metadata/timestamp.json", changes, "/openapi.json"] {
      #expect(try get(target)["X-Cache"] == "MISS", "\(target)")
      // A slow machine may pause for longer than the second that a copy stays fresh.
      let again = try eventually("\(target) comes from the cache") {
        let answer = try get(target)
        return answer["X-Cache"] == "HIT" ? answer : nil
      }
      #expect(again.status == 200, "\(target)")
      #expect(again["Cache-Control"]?.hasPrefix("max-age=") == true)
    }
    let object = "/\(try served.newestSnapshot().filePath)"
    for target in [object, "/metadata/timestamp.json", "/v1/test", changes] {
      let (whole, head) = (try get(target), try get(target, method: "HEAD"))
      #expect(head.status == 200 && head["ETag"] == whole["ETag"], "\(target)")
      #expect(head["Content-Length"] == whole["Content-Length"], "\(target)")
      #expect(head["Content-Type"] == whole["Content-Type"])
      guard target != changes else { continue }
      let tag = try #require(whole["ETag"])
      let again = try get(target, "If-None-Match: \(tag)\r\n")
      #expect(again.status == 304 && again.body.isEmpty, "\(target)")
      #expect(again["ETag"] == tag)
    }
    try expectCodings()
    try expectOneSpelling()
  }

  /// The cache has another entry for each spelling, so none of them gets another copy of the changes.
  private func expectOneSpelling() throws {
    let moved = try get("/v1/test/changes?since=1&model=1.0")
    #expect(moved.status == 301 && moved["Location"] == changes && moved.body.isEmpty)
    for query in [
      "model=%31.0&since=1", "m%6fdel=1.0&since=1", "model=1.0&since=%31", "model=01.0&since=1",
      "model=1.0&since=01", "model=1.0&&since=1", "model=1.0&since=1&", "model=1.0&since=1&since=1",
      "model=1.0&since=1&x=1",
    ] {
      let answer = try get("/v1/test/changes?\(query)")
      #expect(answer.status == 400 && answer["Cache-Control"] == "no-store", "\(query)")
    }
  }

  @Test func `two hundred spellings of a query, or queries of the page, add nothing to the cache`() throws {
    try waitUntil("the answer is kept") { try get(changes)["X-Cache"] == "HIT" }
    let kept = try proxy.cachedFiles()
    let bytes = Array("model=1.0".utf8)
    for number in 1...200 {
      let spelling = bytes.indices.map { index in
        let isEscaped = number >> index & 1 == 1
        return isEscaped ? "%" + String(bytes[index], radix: 16) : String(Unicode.Scalar(bytes[index]))
      }
      let answer = try get("/v1/test/changes?\(spelling.joined())&since=1")
      #expect(answer.status == 400 && answer["Cache-Control"] == "no-store", "\(spelling.joined())")
      #expect(try get("/?x=\(number)").status == 200)
    }
    #expect(try proxy.cachedFiles() == kept)
  }

  @Test func `cookies and tokens of any length do not reach the front`() throws {
    let long = String(repeating: "a", count: 7_000)
    let object = "/\(try served.newestSnapshot().filePath)"
    for field in ["Cookie: a=\(long)\r\n", "Authorization: Bearer \(long)\r\n"] {
      #expect(try RawClient(port: served.front.port).get("/v1/test", extra: field).status == 431)
      for target in ["/v1/test", "/metadata/timestamp.json", object, "/"] {
        #expect(try get(target, field).status == 200, "\(target)")
      }
    }
  }

  /// gzip is sent to clients that accept it.
  private func expectCodings() throws {
    let gzip = try get(changes, "Accept-Encoding: gzip, deflate, br\r\n")
    #expect(gzip["Content-Encoding"] == "gzip" && gzip["Vary"]?.contains("Accept-Encoding") == true)
    try waitUntil("another client's spelling is answered by the same copy") {
      try get(changes, "Accept-Encoding: br;q=0.9, gzip;q=0.5\r\n")["X-Cache"] == "HIT"
    }
    for refusing in [
      "", "Accept-Encoding: identity\r\n", "Accept-Encoding: gzip;q=0\r\n", "Accept-Encoding: xgzip\r\n",
    ] {
      let plain = try get(changes, refusing)
      #expect(plain["Content-Encoding"] == nil && plain.body.first == UInt8(ascii: "{"), "\(refusing)")
    }
    let metadata = try get("/metadata/1.targets.json", "Accept-Encoding: gzip\r\n")
    #expect(metadata["Content-Encoding"] == "gzip" && metadata["ETag"]?.hasSuffix("-gzip\"") == true)
    #expect(try get("/metadata/1.targets.json")["Content-Encoding"] == nil)
    let path = "/\(try served.newestSnapshot().filePath)"
    #expect(
      try get(path, "Accept-Encoding: gzip\r\n")["Content-Encoding"] == nil, "a .gz is its own resource")
  }

  @Test func `an object's slices are cached for all clients and make up the file`() throws {
    let object = try served.newestSnapshot()
    let path = "/\(object.filePath)"
    #expect(object.length > 3 * 32 * 1024, "several slices")
    let part = try get(path, "Range: bytes=40000-80000\r\n")
    #expect(part.status == 206 && part.body.count == 40_001)
    #expect(part["Content-Range"] == "bytes 40000-80000/\(object.length)")
    #expect(try get(path, "Range: bytes=50000-50001\r\n")["X-Cache"] == "HIT")
    let whole = try get(path)
    #expect(whole.status == 200 && SHA256Digest.of(whole.body) == object.sha256)
    #expect(whole["ETag"] == "\"\(object.sha256.hex)\"" && whole["Content-Encoding"] == nil)
    #expect(whole["Cache-Control"] == "max-age=31536000, immutable")
    #expect(whole["Repr-Digest"] != nil && whole["Accept-Ranges"] == "bytes")
    #expect(try get(path)["X-Cache"] == "HIT")
    #expect(try get(path, "Range: bytes=-7\r\n").body == Array(whole.body.suffix(7)))
    #expect(try get(path, "Range: bytes=\(object.length)-\r\n").status == 416)
    #expect(try get(path, "Range: bytes=0-9\r\nIf-Range: \"other\"\r\n").status == 200)
  }

  @Test func `if a front with an older copy lacks a file, another front answers`() throws {
    let folder = try TemporaryFolder(inMemory: true)
    try Tool.run(["cp", "-r", served.deployment.publication.path, folder("copy")])
    let old = try Front(FrontConfiguration(publication: folder("copy")))
    try served.publish(snapshot: true)
    let fleet = try NginxProxy(before: [old.port, served.front.port])
    let added = try paths(in: served.deployment.publication.path).subtracting(paths(in: folder("copy")))
    #expect(added.count > 3)
    for path in added {
      #expect(try RawClient(port: old.port).get("/\(path)").status == 404, "\(path)")
      #expect(try RawClient(port: fleet.plainPort).get("/\(path)").status == 200, "\(path)")
    }
    #expect(try RawClient(port: fleet.plainPort).get("/metadata/2.root.json").status == 404)
    try waitUntil("nginx has logged a request that both fronts got") {
      try fleet.requestsToFronts().values.reduce(0, +) > added.count + 1
    }
  }

  @Test func `equal requests for an answer that is not cached wait less than those for an object`() throws {
    let asked = Shared<[String]>([])
    let silent = try RawServer { request, connection in
      asked.withLock { $0.append(request.path) }
      connection.untilEnd {}
      return false
    }
    let (errors, object, count) = ("v1/none", "targets/none", 10)
    let waiting = try NginxProxy(before: silent.port)
    let clients = try ([object, object] + Array(repeating: errors, count: count)).map { path in
      let client = try RawClient(port: waiting.plainPort)
      client.send("GET /\(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
      return client
    }
    try waitUntil("the front gets all requests for the error") {
      asked.withLock { $0.count { $0 == errors } == count }
    }
    // Looks at their order, because this process may have been suspended meanwhile.
    let before = asked.withLock { $0.prefix(through: $0.lastIndex(of: errors) ?? 0) }
    #expect(before.count { $0 == object } == 1)
    withExtendedLifetime((clients, waiting, silent)) {}
  }

  /// The paths of all metadata and objects.
  private func paths(in publication: String) throws -> Set<String> {
    let files = try Tool.run(["find", "metadata", "targets", "-type", "f"], in: publication)
    return Set(files.split(separator: "\n").map(String.init))
  }

  @Test
  func
    `the cache follows a new version, and answers while the front is down, with 503 and Retry-After for the rest`()
    throws
  {
    #expect(try proxy.check() == "")
    let before = try get("/v1/test")
    try served.publish()
    let after = try RawClient(port: served.front.port).get("/v1/test").body
    let shown = try eventually("the cache follows") { () -> RawClient.Response? in
      let answer = try get("/v1/test")
      #expect(answer.body == before.body || answer.body == after)
      return answer.body == after ? answer : nil
    }
    #expect(shown.status == 200)
    let object = try served.newestSnapshot()
    _ = (try get("/\(object.filePath)"), try get("/v1/test"))
    let pages = ["/", "/index.html"]
    #expect(try pages.map { try get($0).status } == [200, 200])
    served.front.stop(gracePeriod: .zero)
    #expect(try SHA256Digest.of(get("/\(object.filePath)").body) == object.sha256)
    let old = try eventually("the answer grows old") { () -> RawClient.Response? in
      let answer = try get("/v1/test")
      return answer["X-Cache"] == "STALE" ? answer : nil
    }
    #expect(old.status == 200)
    let away = try get("/v1")
    #expect(away.status == 503 && away["Retry-After"] == "2")
    #expect(away["Content-Type"] == "application/problem+json")
    #expect(String(decoding: away.body, as: UTF8.self).contains("not reachable, or has too much to do"))
    #expect(away["Access-Control-Expose-Headers"] == "*", "scripts of other sites read Retry-After")
    // The pages may have been cached later than the expired response.
    try waitUntil("no old page is served") { try pages.allSatisfy { try get($0).status == 503 } }
  }
}
