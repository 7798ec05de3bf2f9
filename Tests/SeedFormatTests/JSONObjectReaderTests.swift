import Support
import Testing

@testable import SeedFormat

@Suite struct JSONObjectReaderTests {
  private enum Colour: String, CaseIterable { case red, green }

  private func read(
    _ text: String, _ body: (inout JSONObjectReader) throws(MalformedJSON) -> Void
  ) throws(MalformedJSON) {
    var reader = try JSONObjectReader(parsing: Array(text.utf8), at: "")
    try body(&reader)
  }

  private func fault(
    _ text: String, _ body: (inout JSONObjectReader) throws(MalformedJSON) -> Void
  ) -> String {
    do {
      try read(text, body)
      return "none"
    } catch {
      return error.description
    }
  }

  @Test func `members are read by name and type, and the rest stays in order`() throws {
    try read(#"{"z":1,"text":"a","flag":true,"list":["b"],"inner":{"n":2},"a":null}"#) {
      reader throws(MalformedJSON) in
      #expect(try reader.string("text") == "a")
      #expect(try reader.bool("flag"))
      #expect(try reader.strings("list") == ["b"])
      var inner = try reader.object("inner")
      #expect(inner.path == "inner")
      #expect(try inner.integer("n", from: 1) == 2)
      #expect(try reader.stringIfPresent("none") == nil)
      #expect(reader.unread == [JSONMember("z", 1), JSONMember("a", .null)])
    }
  }

  @Test func `an error includes the path of its member`() {
    #expect(fault("[]") { _ in } == "expected an object, found an array")
    #expect(fault("{") { _ in } == "the document ends too early at byte 1")
    #expect(
      fault("{}") { reader throws(MalformedJSON) in _ = try reader.string("a") } == "a: is missing")
    #expect(
      fault(#"{"a":{"b":[1]}}"#) { reader throws(MalformedJSON) in
        var inner = try reader.object("a")
        _ = try inner.strings("b")
      } == "a.b[0]: expected a string, found a whole number")
    #expect(
      fault(#"{"a":[{},{"b":0}]}"#) { reader throws(MalformedJSON) in
        var objects = try reader.objects("a")
        _ = try objects[1].integer("b", from: 1)
      } == "a[1].b: expected 1 or more, found 0")
    #expect(
      fault(#"{"a":9007199254740992}"#) { reader throws(MalformedJSON) in
        _ = try reader.integer("a", from: 0)
      } == "a: 9007199254740992 is beyond 2^53 − 1")
    #expect(
      fault(#"{"a":"blue"}"#) { reader throws(MalformedJSON) in
        let _: Colour = try reader.choice("a")
      } == #"a: expected one of red, green, found "blue""#)
  }

  @Test func `unread members are rejected with a suggestion`() {
    #expect(
      fault(#"{"prot":1}"#) { reader throws(MalformedJSON) in
        _ = reader.takeIfPresent("port")
        try reader.refuseUnread()
      } == #"prot: unknown key, did you mean "port"?"#)
    #expect(
      fault(#"{"zzz":1}"#) { reader throws(MalformedJSON) in
        _ = reader.takeIfPresent("host")
        _ = reader.takeIfPresent("port")
        try reader.refuseUnread()
      } == "zzz: unknown key, expected one of host, port")
  }

  @Test func `keys that are equal only in Swift are rejected`() {
    #expect(
      fault("{\"a\":{\"\u{E9}\":{},\"e\u{301}\":{}}}") { reader throws(MalformedJSON) in
        _ = try reader.dictionary("a") { _ in 0 }
      }.hasSuffix("occurs twice, in two Unicode forms"))
  }
}
