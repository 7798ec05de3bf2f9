import Foundation
import SeedDatabase
import SeedFormat
import SeedHTTP
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedFront

/// Over real sockets, with `curl` and `python3` for a second opinion.
@Suite struct FrontServingTests {
  let publication: FrontPublication
  let front: Front

  init() throws {
    publication = try FrontPublication(history: ())
    let pages = publication.folder("pages")
    try Folder.create("\(pages)/inner")
    for name in [
      "index.html", "app.js", "style.css", "icon.svg", ".hidden.html", "notes.bak", "inner/x.html",
    ] {
      try DurableFile.write(Array("content of \(name)".utf8), to: "\(pages)/\(name)")
    }
    front = try Front(FrontConfiguration(publication: publication.directory.path, pages: pages))
  }

  private func run(_ tool: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
    let outcome = try TestProgram.run([tool] + arguments)
    return (outcome.status, outcome.output)
  }

  private func curl(_ arguments: String...) throws -> String {
    let outcome = try run("curl", ["-sS", "--path-as-is"] + arguments)
    #expect(outcome.status == 0)
    return outcome.output
  }

  private var root: String { "http://127.0.0.1:\(front.port)" }

  @Test func `curl follows the redirect to the exact snapshot, and python parses the changes`() throws {
    let file = publication.folder("download")
    let redirects = try curl(
      "-fL", "-o", file, "-w", "%{num_redirects} %{content_type}", "\(root)/v1/transit/snapshot?model=2.1")
    #expect(redirects == "1 application/gzip")
    let object = try publication.snapshot(FrontPublication.transit, 104)
    #expect(try SHA256Digest.ofFile(at: file).digest == object.sha256)
    let answer = try curl("-f", "--compressed", "\(root)/v1/transit/changes?model=2.1&since=100")
    let script = """
      import json, sys
      answer = json.loads(sys.argv[1])
      print(answer["from"], answer["to"], [(d["from"], d["to"]) for d in answer["deltas"]])
      """
    let outcome = try run("python3", ["-c", script, answer])
    #expect(outcome.output == "100 104 [(96, 102), (102, 103), (103, 104)]\n")
  }

  @Test func `a file damaged and repaired under a running front is served in its current state`() throws {
    let object = try publication.snapshot(FrontPublication.transit, 104)
    let (file, target) = (publication.directory.file(object), "\(root)/\(object.filePath)")
    let whole = try DurableFile.read(file, limit: object.length)
    let status = { try curl("-o", "/dev/null", "-w", "%{http_code}", target) }
    #expect(try status() == "200" && status() == "200")
    try DurableFile.write(Array(whole.dropLast()), to: file)
    try waitUntil("the damage is noticed") { try status() == "404" }
    try DurableFile.write(whole, to: file)
    try waitUntil("the repair is noticed") { try curl(target) == String(decoding: whole, as: UTF8.self) }
  }

  @Test func `an unchanged resource costs only headers with the right length`() throws {
    let tag = try #require(try publication.catalog().metadata["timestamp.json"]).tag
    let length = try #require(try publication.directory.metadata("timestamp.json")).count
    let answer = try curl("-i", "-H", "If-None-Match: \(tag)", "\(root)/metadata/timestamp.json")
    #expect(answer.hasPrefix("HTTP/1.1 304 ") && answer.hasSuffix("\r\n\r\n"))
    #expect(answer.contains("Content-Length: \(length)\r\n") && answer.contains("ETag: \(tag)\r\n"))
  }

  @Test func `the files of the web page are served and nothing beside them`() throws {
    let answer = try curl("-i", "\(root)/")
    #expect(answer.contains("Content-Security-Policy: default-src 'self'; "))
    #expect(answer.contains("Content-Type: text/html; charset=utf-8\r\n"))
    #expect(answer.hasSuffix("content of index.html"))
    #expect(try curl("\(root)/app.js") == "content of app.js")
    #expect(try curl("-w", "%{content_type}", "-o", "/dev/null", "\(root)/icon.svg") == "image/svg+xml")
    for path in ["/notes.bak", "/inner/x.html", "/inner", "/x.html", "/.hidden.html"] {
      #expect(try curl("-o", "/dev/null", "-w", "%{http_code}", "\(root)\(path)") == "404")
    }
  }

  @Test func `errors of the server have the same form as all others also for HEAD`() throws {
    for arguments in [
      ["-X", "POST"], ["-H", "Host: a b"], ["--http1.0", "-H", "Transfer-Encoding: chunked"],
    ] {
      let answer = try run("curl", ["-sSi"] + arguments + ["\(root)/v1"]).output
      for field in [
        "Content-Type: application/problem+json\r\n", "Access-Control-Allow-Origin: *\r\n",
        "Access-Control-Expose-Headers: *", "Seedbank-Request: ", "X-Content-Type-Options: nosniff\r\n",
      ] { #expect(answer.contains(field), "\(field)") }
    }
    #expect(try curl("-X", "POST", "\(root)/v1").contains(#""type":"method-not-allowed""#))
    let head = try run("curl", ["-sSI", "-H", "Host: a b", "\(root)/v1"]).output
    #expect(head.hasPrefix("HTTP/1.1 400 ") && head.hasSuffix("\r\n\r\n"))
    #expect(head.contains("Access-Control-Allow-Origin: *\r\n") && !head.contains("Content-Length: 0\r\n"))
  }

  @Test func `a reload takes effect at once`() throws {
    let series = FrontPublication.transit
    try publication.publish(series, head: 105, floor: 105, [publication.snapshot(series, 105)])
    try front.reload()
    #expect(
      try curl("-o", "/dev/null", "-w", "%header{seedbank-version}", "\(root)/v1/transit/snapshot?model=2.1")
        == "105")
  }

  @Test func `a root added beside a running front is served without a reload`() throws {
    let status = { try curl("-o", "/dev/null", "-w", "%{http_code}", "\(root)/metadata/2.root.json") }
    #expect(try status() == "404")
    try publication.addRoot()
    try waitUntil("the root is served") { try status() == "200" }
  }

  @Test func `a draining front reports it to load balancers and answers for a while`() throws {
    let client = try RawClient(port: front.port)
    #expect(try client.get("/readyz").status == 200)
    front.drain()
    let ready = try RawClient(port: front.port).get("/readyz")
    #expect(ready.status == 503 && ready["Retry-After"] == "2")
    #expect(try RawClient(port: front.port).get("/v1").status == 200)
    #expect(try client.get("/v1")["Connection"] == "close")
    front.stop()
    #expect(throws: RawClient.Failure.self) { try RawClient(port: front.port) }
  }

  @Test func `the operator is warned if the system allows fewer connections than configured`() throws {
    var allowed = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &allowed)
    let (told, connections) = (RequestLogTests.Told(), 1_000_000)
    var configuration = FrontConfiguration(publication: publication.directory.path, report: told.add)
    configuration.http.connectionLimit = connections
    let front = try Front(configuration)
    #expect(try RawClient(port: front.port).get("/livez").status == 200)
    let warnings = told.records.filter { $0.level == .warning && $0.message.contains("LimitNOFILE") }
    #expect(warnings.count == (allowed.rlim_max < 2 * connections ? 1 : 0))
  }

  @Test func `files of the page that cannot be served are reported and the rest is served`() throws {
    let folder = publication.folder("many")
    try Folder.create("\(folder)/lib.js")
    for name in ["a1.txt", "1.unknown", "index.html", "logo 2.svg"] {
      try DurableFile.write(Array(name.utf8), to: "\(folder)/\(name)")
    }
    try DurableFile.write([UInt8](repeating: 0, count: FrontLimits.pageBytes + 1), to: "\(folder)/a0.txt")
    let pages = try StaticPages(folder: folder)
    #expect(
      pages["/"] != nil && pages["/a1.txt"] != nil && pages["/a0.txt"] == nil && pages["/1.unknown"] == nil)
    #expect(pages.problems.count == 3, "\(pages.problems)")
    for name in ["a0.txt", "logo 2.svg"] { #expect(pages.problems.contains { $0.contains(name) }) }
  }

  @Test func `the web page of the package refers to nothing outside`() throws {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let folder = package.appending(path: "Public").path
    let pages = try StaticPages(folder: folder)
    let html = String(decoding: try #require(pages["/"]).document.bytes, as: UTF8.self)
    for part in html.split(separator: "\"") where part.hasPrefix("/") && part.contains(".") {
      #expect(
        pages[String(part)] != nil || part.hasPrefix("/metadata/") || part == "/openapi.json", "\(part)")
    }
    #expect(!html.contains("://") && !html.contains("style=") && !html.contains("<script>"))
    #expect(html.contains(String(decoding: LivePage.marker, as: UTF8.self)))
  }
}
