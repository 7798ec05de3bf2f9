import Foundation
import SeedFormat
import SeedHTTP
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedFront

/// Sends the table of requests to the router and, over a socket, to the server.
@Suite struct RequestTableTests {
  private let publication: FrontPublication
  private let object: PublishedObject
  private let view: CatalogView
  private let pages: TemporaryFolder
  private let router: Router

  init() throws {
    publication = try FrontPublication.usual.get()
    object = try publication.snapshot(FrontPublication.transit, 104)
    view = CatalogView(try FrontPublication.usualCatalog.get())
    let page = Array("// a page".utf8)
    pages = try FrontPublication.pages(["index.html": page, "app.js": page])
    router = Router(pages: try StaticPages(folder: pages.path))
  }

  struct Answer {
    let status: Int
    let headers: HTTPHeaders
    /// nil for HEAD and for responses without a body.
    let body: [UInt8]?
  }

  private func path(of target: TableRequest.Target) -> String {
    switch target {
    case .object: "/\(object.filePath)"
    case .metadata: "/metadata/timestamp.json"
    case .changes: "/v1/transit/changes?model=2.1&since=100"
    case .redirect: "/v1/transit/snapshot?model=2.1"
    case .health: "/livez"
    case .missing: "/targets/none"
    case .path(let path): path
    case .strange(let other): path(of: other) + (path(of: other).contains("?") ? "&" : "?") + "utm_source=x"
    case .long(let bytes): "/" + String(repeating: "a", count: bytes - 1)
    case .longQuery(let bytes): "/v1?" + String(repeating: "a", count: bytes - 4)
    }
  }

  /// The unconditional response, as the reference for all others.
  private func original(_ target: TableRequest.Target) -> HTTPResponse {
    router.answer(HTTPRequest(.get, path(of: target)), in: view)
  }

  private func filled(_ request: TableRequest, _ original: HTTPResponse) throws -> [String] {
    let length = original.body.length
    let date = original.headers["Last-Modified"].flatMap { UTCTime(http: $0) }
    let seconds = date?.secondsSinceEpoch ?? Int(FrontPublication.start.secondsSinceEpoch)
    return request.fields.map { field in
      field.replacing("{tag}", with: original.headers["ETag"] ?? "\"none\"")
        .replacing("{date}", with: UTCTime(secondsSinceEpoch: seconds).httpText)
        .replacing("{before}", with: UTCTime(secondsSinceEpoch: seconds - 1).httpText)
        .replacing("{after}", with: UTCTime(secondsSinceEpoch: seconds + 1).httpText)
        .replacing("{n}", with: "\(length)").replacing("{n-1}", with: "\(length - 1)")
        .replacing("{n+1}", with: "\(length + 1)")
    }
  }

  private func bytes(_ body: HTTPBody) throws -> [UInt8] {
    switch body {
    case .empty: return []
    case .bytes, .stream: return HTTPResponse(status: 200, body: body).bytes
    case .file(_, let offset, let length):
      let file = try Data(contentsOf: URL(filePath: publication.directory.file(object)))
      return Array(file[Int(offset)..<Int(offset + length)])
    }
  }

  @Test func `the router answers every request of the table`() throws {
    #expect(TableRequest.all.count >= 300)
    for request in TableRequest.all where !request.isTooLarge {
      let original = original(request.target)
      let fields = try filled(request, original).map { line in
        let parts = line.split(separator: ":", maxSplits: 1)
        return HTTPHeaders.Field(String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces))
      }
      let response = router.answer(
        HTTPRequest(HTTPMethod(request.method), path(of: request.target), headers: HTTPHeaders(fields)),
        in: view)
      let hasBody = request.method != "HEAD" && ![204, 304].contains(response.status)
      let answer = Answer(
        status: response.status, headers: response.headers, body: hasBody ? try bytes(response.body) : nil)
      try check(answer, to: request, original: original)
    }
  }

  @Test func `the server answers every request of the table like the router`() throws {
    let front = try Front(FrontConfiguration(publication: publication.directory.path, pages: pages.path))
    for request in TableRequest.all {
      let original = original(request.target)
      let fields = try filled(request, original)
      let line = "\(request.method) \(path(of: request.target)) HTTP/1.1"
      var lines = [line, "Host: localhost", "Connection: close"] + fields
      request.filling?.fill(&lines)
      let answer = try exchange(request.method, lines, with: front)
      try check(answer, to: request, original: original)
      if request.isTooLarge { #expect(answer.headers["Connection"] == "close", "\(request)") }
    }
  }

  private func exchange(_ method: String, _ lines: [String], with front: Front) throws -> Answer {
    let answer = try SeedFrontTests.exchange(lines.map { "\($0)\r\n" }.joined() + "\r\n", port: front.port)
    let end = try #require(answer.firstRange(of: Array("\r\n\r\n".utf8)))
    let head = String(decoding: answer[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    let headers = head.dropFirst().map { line in
      let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      return HTTPHeaders.Field(parts[0], parts.count > 1 ? parts[1] : "")
    }
    let status = try #require(Int(head[0].split(separator: " ")[1]))
    let body = Array(answer[end.upperBound...])
    let hasBody = method != "HEAD" && ![204, 304].contains(status)
    #expect(hasBody || body.isEmpty)
    return Answer(status: status, headers: HTTPHeaders(headers), body: hasBody ? body : nil)
  }

  private func check(_ answer: Answer, to request: TableRequest, original: HTTPResponse) throws {
    let whole = try bytes(original.body)
    let name = Comment(rawValue: request.description)
    switch request.answer {
    case .whole:
      #expect(answer.status == 200, name)
      #expect(answer.body == nil || answer.body == whole, name)
      #expect(answer.headers["ETag"] == original.headers["ETag"], name)
      #expect(answer.headers["Content-Range"] == nil, name)
    case .part(let first, let last):
      try checkPart(answer, first, last, whole, original, name)
    case .status(let status):
      #expect(answer.status == status, name)
      checkOther(answer, whole.count, original, name)
      if case (400, .strange) = (status, request.target), let body = answer.body {
        #expect(try JSONValue(parsing: body)["parameter"] == "utm_source", name)
      }
    }
  }

  private func checkPart(
    _ answer: Answer, _ first: Int, _ last: Int, _ whole: [UInt8], _ original: HTTPResponse, _ name: Comment
  ) throws {
    let (first, last) = (first < 0 ? whole.count + first : first, last < 0 ? whole.count + last : last)
    #expect(answer.status == 206, name)
    #expect(answer.body.map { $0[...] } == whole[first...last], name)
    #expect(answer.headers["Content-Range"] == "bytes \(first)-\(last)/\(whole.count)", name)
    #expect(answer.headers["ETag"] == original.headers["ETag"], name)
    #expect(answer.headers["Repr-Digest"] == original.headers["Repr-Digest"], name)
  }

  private func checkOther(_ answer: Answer, _ length: Int, _ original: HTTPResponse, _ name: Comment) {
    switch answer.status {
    case 304:
      for field in ["ETag", "Cache-Control", "Last-Modified", "Vary"] {
        #expect(answer.headers[field] == original.headers[field], name)
      }
      for field in ["Content-Type", "Seedbank-Version", "Seedbank-Epoch"] {
        #expect(answer.headers[field] == nil, name)
      }
    case 204:
      for field in ["Allow", "Access-Control-Allow-Methods"] {
        #expect(answer.headers[field] == HTTPMethod.allowed, name)
      }
    case 416:
      #expect(answer.headers["Content-Range"] == "bytes */\(length)", name)
      #expect(answer.headers["Content-Type"] == "application/problem+json", name)
    case 405: #expect(answer.headers["Allow"] == HTTPMethod.allowed, name)
    case 400, 404, 412, 414, 431:
      #expect(answer.headers["Content-Type"] == "application/problem+json", name)
      #expect(answer.headers["Cache-Control"] == "no-store", name)
    default: break
    }
  }
}

extension TableRequest.Filling {
  func fill(_ lines: inout [String]) {
    switch self {
    case .bytes(let bytes):
      let field = "X-Filler: "
      // Each field counts 64 bytes more; the request line is not one, but the filler is.
      let taken = (lines + [field, ""]).reduce(64 * lines.count) { $0 + $1.utf8.count + 2 }
      lines.append(field + String(repeating: "a", count: max(1, bytes - taken)))
    case .fields(let count): lines += Array(repeating: "X-Filler: a", count: max(0, count + 1 - lines.count))
    }
  }
}

/// Sends the bytes on a new connection and reads until the server closes it.
func exchange(_ text: String, port: UInt16) throws -> [UInt8] {
  let client = try RawClient(port: port)
  client.send(text)
  // First, because `readToEnd` ends the sending side, and a response could then count as aborted.
  _ = client.isEndedByServer()
  return client.readToEnd()
}
