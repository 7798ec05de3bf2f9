import SeedFormat

@testable import SeedHTTP

/// A request header as values, for the guard's table.
struct RequestHead: Sendable {
  var method = "GET"
  var target = "/"
  var version = "HTTP/1.1"
  var headers: HTTPHeaders = ["Host": "localhost"]
  var accountsForEveryByte = true

  func check() throws(Problem) {
    var fields = HeaderScan()
    for field in headers.fields {
      lend(field.name) { name in lend(field.value) { value in fields.add(name: name, value: value) } }
    }
    let scanned = fields
    let problem: Problem? = lend(method) { method in
      lend(target) { target in
        lend(version) { version in
          self.problem(of: RequestLine(method: method, target: target, version: version), scanned)
        }
      }
    }
    if let problem { throw problem }
  }

  private func problem(of line: RequestLine, _ fields: HeaderScan) -> Problem? {
    do throws(Problem) {
      try RequestGuard.check(line, fields, accountsForEveryByte: accountsForEveryByte)
      return nil
    } catch {
      return error
    }
  }

  private func lend<Result>(_ text: String, _ body: (HeadText) -> Result) -> Result {
    var text = text
    return text.withUTF8(body)
  }
}
