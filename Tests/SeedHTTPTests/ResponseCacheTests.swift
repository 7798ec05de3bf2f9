import Foundation
import Support
import Testing

@testable import SeedHTTP

@Suite struct ResponseCacheTests {
  private func keep(_ cache: ResponseCache, _ target: String, bytes: Int, gzip: Bool = false) {
    let response = HTTPResponse(status: 200, body: .bytes([UInt8](repeating: 1, count: bytes)))
    var target = target
    target.withUTF8 { cache.keep(response, nil, to: $0, gzip: gzip, of: cache.generation) }
  }

  private func bytes(_ cache: ResponseCache, _ target: String, gzip: Bool = false) -> Int64? {
    var target = target
    return target.withUTF8 { cache.entry($0, gzip: gzip)?.whole?.body.length }
  }

  @Test func `the memory for responses is limited and the newest are kept`() {
    let cache = ResponseCache()
    for number in 0..<200 {
      keep(cache, "/\(number)", bytes: 1_000_000)
      #expect(cache.bytes <= ResponseCache.bytesLimit)
      #expect(bytes(cache, "/\(number)") == 1_000_000)
    }
    #expect(cache.bytes > 0)
  }

  @Test func `a response larger than its share is not kept`() {
    let cache = ResponseCache()
    keep(cache, "/large", bytes: ResponseCache.bytesLimit / 2)
    #expect(bytes(cache, "/large") == nil && cache.bytes == 0)
  }

  @Test func `encodings are kept separately and a newer response replaces an older one`() {
    let cache = ResponseCache()
    keep(cache, "/a", bytes: 10)
    keep(cache, "/a", bytes: 20, gzip: true)
    keep(cache, "/a", bytes: 30)
    #expect(bytes(cache, "/a") == 30 && bytes(cache, "/a", gzip: true) == 20)
    #expect(cache.bytes == 50)
    cache.forget()
    #expect(bytes(cache, "/a") == nil && cache.bytes == 0)
  }

  @Test func `connections share responses in memory but no file sent in parts`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "answers-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, size, isShared) in [("empty", 0, true), ("small", 16_384, true), ("large", 16_385, false)] {
      let path = folder.appending(path: name).path
      try Data(count: size).write(to: URL(filePath: path))
      let (cache, whole) = (ResponseCache(), HTTPResponse(status: 200, body: .file(try OpenFile(path: path))))
      var target = "/\(name)"
      try target.withUTF8 { target in
        cache.keep(
          whole, try PreparedResponse(whole, ending: false), to: target, gzip: false, of: cache.generation)
        #expect((cache.entry(target, gzip: false)?.prepared != nil) == isShared, "\(name)")
        #expect((cache.entry(target, gzip: false)?.whole != nil) == !isShared, "\(name) holds a descriptor")
        #expect(cache.bytes == (isShared ? size : 0), "\(name)")
      }
    }
  }
}
