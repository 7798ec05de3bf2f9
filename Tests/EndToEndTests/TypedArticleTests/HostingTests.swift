import Foundation
import Support
import Testing

/// The article on static hosts, with its nginx configuration in a real nginx.
@Suite struct HostingTests {
  let article: TypedArticle

  init() throws { article = try TypedArticle("Hosting") }

  @Test func `clients follow plain files of any static host, and report a host that changes answers`() throws
  {
    try article.typeRest()
    try expectPlainFiles()
    article.closeTerminals()
    try expectCacheTimes()
    try expectComplaints()
  }

  /// Clients also follow plain files below a path; only the front's own interface is missing.
  private func expectPlainFiles() throws {
    #expect(throws: Tool.Failure.self) { try Tool.run(["curl", "-fsS", "\(article.server)/v1/my"]) }
    article.closeTerminals()
    try article.type("mkdir -p site && ln -s ../seedbank/publication site/seeds")
    try article.type("python3 -m http.server 8080 --bind 127.0.0.1 --directory site")
    #expect(try pull(from: "\(article.server)/seeds", into: "below").contains("my/1: version 2, "))
  }

  /// The nginx configuration sets the cache times of the article's table.
  private func expectCacheTimes() throws {
    let site = try article.article.file("nginx").adapting(
      "listen 80;", to: "listen 127.0.0.1:\(article.port());"
    )
    .adapting("/srv/seeds/publication", to: article.folder("seedbank/publication"))
    let nginx = try Nginx(site: site, in: TemporaryFolder(), listeningOn: article.port())
    let object = try article.type("cd seedbank/publication/targets && find * -name '*snapshot*'").dropLast()
    for (path, rule) in [
      ("targets/\(object)", "max-age=31536000, immutable"), ("metadata/1.targets.json", "max-age=3600"),
      ("metadata/timestamp.json", "max-age=1"),
    ] {
      let answer = try RawClient(port: article.port()).get("/\(path)")
      #expect(
        answer.status == 200 && answer["Cache-Control"] == rule && answer["Content-Encoding"] == nil,
        "\(path)")
      let table = article.article.text.split(separator: "\n").filter { $0.hasPrefix("|") }
      #expect(table.contains { $0.contains("`\(rule)`") }, "\(rule) is in the table")
    }
    for path in ["metadata/99.root.json", ".lock"] {
      let answer = try RawClient(port: article.port()).get("/\(path)")
      #expect(answer.status == 404 && answer["Cache-Control"] == nil, "\(path)")
    }
    let part = try RawClient(port: article.port()).get("/targets/\(object)", extra: "Range: bytes=5-9\r\n")
    #expect(part.status == 206 && part.body.count == 5)
    #expect(try pull(from: article.server, into: "tablet").contains("my/1: version 2, "), "\(nginx.errors)")
  }

  /// The client reports a host that adds Content-Encoding or answers every path with a page.
  private func expectComplaints() throws {
    let folder = article.folder("seedbank/publication")
    let bad = [
      ("location /targets/ { add_header Content-Encoding gzip; }", "Content-Encoding gzip"),
      ("try_files $uri /index.html;", "web page arrived"),
    ]
    try article.type("echo '<!doctype html><p>Welcome' > seedbank/publication/index.html")
    for (line, complaint) in bad {
      let port = try freePort()
      let site = "types { text/html html; } server { listen 127.0.0.1:\(port); root \(folder); \(line) }"
      let nginx = try Nginx(site: site, in: TemporaryFolder(), listeningOn: port)
      let failure = #expect(throws: Tool.Failure.self) {
        try pull(from: "http://127.0.0.1:\(port)", into: UUID().uuidString)
      }
      #expect(failure?.output.contains(complaint) == true, "\(failure?.output ?? "") \(nginx.errors)")
    }
  }

  private func pull(from server: String, into store: String) throws -> String {
    try article.type(
      "seedbank pull \(server) --dataset my --model 1.0 --root seedbank/root.json --store \(store)")
  }
}
