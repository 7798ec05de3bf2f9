import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

@Suite struct CanonicalJSONTests {
  @Test(arguments: [
    (#" { "b" : 1 , "a" : [ true , null , -0 ] } "#, #"{"a":[true,null,0],"b":1}"#),
    (#"{"":{},"a":[]}"#, #"{"":{},"a":[]}"#),
    (#"{"A":1,"a":2,"Z":3,"_":4,"10":5,"9":6}"#, #"{"10":5,"9":6,"A":1,"Z":3,"_":4,"a":2}"#),
    (#"["\"\\\/\n\u0001"]"#, "[\"\\\"\\\\/\n\u{1}\"]"),
    (#""\u00e9\ud83d\ude00""#, "\"é😀\""),
    (#"-9223372036854775808"#, "-9223372036854775808"),
  ])
  func `a document has one canonical form`(document: String, canonical: String) throws {
    let value = try JSONValue(parsing: Array(document.utf8))
    #expect(String(decoding: try CanonicalJSON.bytes(of: value), as: UTF8.self) == canonical)
  }

  /// U+FFFD is below U+10000 as a code point and above it as UTF-16; composed é is above plain z.
  @Test func `members are sorted by code point`() throws {
    let value: JSONValue = ["\u{10000}": 1, "\u{FFFD}": 2, "\u{E9}": 3, "e\u{301}a": 4, "z": 5]
    let canonical = String(decoding: try CanonicalJSON.bytes(of: value), as: UTF8.self)
    #expect(
      canonical.utf8.elementsEqual(
        "{\"e\u{301}a\":4,\"z\":5,\"\u{E9}\":3,\"\u{FFFD}\":2,\"\u{10000}\":1}".utf8))
  }

  @Test func `a number with a fraction is rejected with its path`() throws {
    let value = try JSONValue(parsing: Array(#"{"a":[1,{"b":1.0}]}"#.utf8))
    let error = #expect(throws: MalformedJSON.self) { try CanonicalJSON.bytes(of: value) }
    #expect(error?.description == "document.a[1].b: a number with a fraction has no canonical form")
  }
}

@Suite struct DelegatedPathTests {
  @Test(arguments: [
    ("transit/2/*", "transit/2/snapshot-1.sqlite.gz", true), ("transit/2/*", "transit/2/", true),
    ("transit/2/*", "transit/2/a/b", false), ("transit/2/*", "transit/20/a", false),
    ("transit/2/*", "transit/2", false), ("transit/2/*", "/transit/2/a", false), ("*", "a", true),
    ("*", "a/b", false), ("*/*", "a/b", true), ("a-?.gz", "a-1.gz", true), ("a-?.gz", "a-/.gz", false),
    ("a-?.gz", "a-12.gz", false), ("*.gz", "a.gz.gz", true), ("a*b*c", "aXbYbZc", true), ("", "", true),
    ("", "a", false), ("a", "a", true), ("a", "A", false), ("**", "ab", true), ("a/*/c", "a/b/c", true),
    ("a/*/c", "a/b/b/c", false), ("[ab]", "b", true), ("a\\*", "a*", false), ("a*", "a\0", false),
    ("a\0*", "a", false),
  ])
  func `a pattern matches within one folder`(pattern: String, path: String, matches: Bool) {
    #expect(DelegatedPaths.patterns([pattern]).admit(path) == matches)
  }

  @Test func `a hash prefix matches the path's digest`() {
    let digest = SHA256Digest.of(Array("a/b".utf8)).hex
    #expect(DelegatedPaths.hashPrefixes(["x", String(digest.prefix(3))]).admit("a/b"))
    #expect(!DelegatedPaths.hashPrefixes([String(digest.prefix(7))]).admit("a/c"))
  }
}
