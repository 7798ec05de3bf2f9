import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

extension BucketStore {
  /// Uploads a file in parts, because stores limit the size of a PUT. Readers see the file only after the last request.
  func putInParts(_ file: MirrorFile, from path: String, _ condition: PutCondition) throws -> PutReply {
    // Checks the condition first, because the store checks it only after it has all parts.
    if condition == .absent, try length(file.path) != nil { return .unmet }
    let url = address.url(of: file.path)
    let begun = try answer(BucketRequest(.post, "\(url)?uploads=", file.headers))
    try check(begun)
    guard let id = BucketList.text("UploadId", in: begun.text) else {
      throw MirrorError.refused("it sends no UploadId for an upload in parts: use another store")
    }
    let upload = "uploadId=\(MetadataName.quoted(String(id)))"
    var isDone = false
    defer {
      if !isDone { _ = try? ask(BucketRequest(method: .delete, url: "\(url)?\(upload)"), isOfUpload: true) }
    }
    let tags = try send(path, file.sha256) { "\(url)?partNumber=\($0)&\(upload)" }
    let reply = try reply(to: answer(Self.completion("\(url)?\(upload)", tags, condition)), condition)
    if case .done = reply { isDone = true }
    return reply
  }

  /// Sends the parts and returns their tags. Throws if the sent bytes are not the signed ones.
  private func send(
    _ path: String, _ sha256: SHA256Digest, to url: (_ number: Int) -> String
  ) throws -> [String] {
    let file = try File(path, for: .reading)
    var tags: [String] = []
    var hasher = SHA256Hasher()
    while case let part = try file.read(limits.partBytes), !part.isEmpty {
      if isOver() { throw MirrorError.away("the program had to end before the upload was finished") }
      hasher.update(part)
      let answer = try answer(BucketRequest(.put, url(tags.count + 1), [], part))
      try check(answer)
      guard let tag = answer.tag else {
        throw MirrorError.refused("it sends no ETag for a part: use another store")
      }
      tags.append(tag)
    }
    guard hasher.finish() == sha256 else { throw MirrorError.refused(Self.mismatch) }
    return tags
  }

  private static func completion(_ url: String, _ tags: [String], _ condition: PutCondition) -> BucketRequest
  {
    let parts = tags.enumerated().map { index, tag in
      "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(tag)</ETag></Part>"
    }
    return BucketRequest(
      .post, url, condition.headers + ["Content-Type: application/xml"],
      Array("<CompleteMultipartUpload>\(parts.joined())</CompleteMultipartUpload>".utf8))
  }

  /// A store can drop an upload at any time. This counts as a temporary failure, so the file is uploaded again.
  private func answer(_ request: BucketRequest) throws -> BucketAnswer {
    let answer = try ask(request, isOfUpload: true)
    if answer.code == "NoSuchUpload" { throw MirrorError.away(answer.words) }
    return answer
  }
}

extension BucketRequest {
  fileprivate init(_ method: Method, _ url: String, _ headers: [String], _ bytes: [UInt8] = []) {
    self.init(
      method: method, url: url, headers: headers, body: (.bytes(bytes), bytes.count),
      sha256: SHA256Digest.of(bytes).hex)
  }
}
