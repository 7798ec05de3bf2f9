import SeedHTTP
import Support
import Testing

@Suite struct CodingTests {
  @Test(arguments: [
    ("gzip", true), ("GZIP", true), ("x-gzip", true), ("gzip, deflate, br", true),
    ("br;q=1.0, gzip;q=0.8", true),
    ("*", true), ("*;q=0.5", true), ("gzip;q=0.001", true), ("gzip ; q=1", true), (" gzip ", true),
    ("gzip;q=1.000", true), ("identity, gzip", true), ("gzip;q=0.5, identity;q=0.5", true),
    ("identity;q=0, gzip", true), ("gzip;q=0, *", false), ("", false), ("identity", false), ("br", false),
    ("gzip;q=0", false), ("gzip;q=0.000", false), ("*;q=0", false), ("identity;q=1, gzip;q=0.5", true),
    ("gzip;q=0.0001", false), ("gzip;q=", false), ("gzip;q=a", false),
    ("gzip;level=9", false), ("gzipped", false), ("gzi", false), (",,,", false), ("gzip;q=-1", false),
    ("gzip;", true), ("gzip; ", false), (";gzip", false), ("br,,gzip", true), ("br;q=1,", false),
  ])
  func `gzip is used if the client accepts it`(value: String, isPreferred: Bool) {
    #expect(HTTPRequest(.get, "/", headers: ["Accept-Encoding": value]).prefersGzip == isPreferred)
  }

  @Test func `repeated Accept-Encoding fields form one list and none means no encoding`() {
    #expect(!HTTPRequest(.get, "/").prefersGzip)
    #expect(
      HTTPRequest(.get, "/", headers: ["Accept-Encoding": "br", "accept-encoding": "gzip"]).prefersGzip)
  }
}
