/// Header sections at their limits, and unknown parameters.
extension TableRequest {
  /// Documented maximums: bytes of a target, bytes and fields of a header section.
  private static let (targetBytes, headBytes, fieldCount) = (2_000, 5_700, 36)

  // RFC 9110, 15.5.15, and RFC 6585, 5: size is checked before anything else.
  static let sizes = targetSizes + headSizes

  private static let targetSizes: [TableRequest] =
    [
      Self("GET", .long(targetBytes), [], .status(404)), Self("HEAD", .long(targetBytes), [], .status(404)),
      Self("OPTIONS", .long(targetBytes), [], .status(204)),
      Self("POST", .long(targetBytes), [], .status(405)),
      Self("GET", .longQuery(targetBytes), [], .status(400)),
      Self("GET", .longQuery(targetBytes), ["If-None-Match: *"], .status(400)),
      Self("GET", .longQuery(targetBytes + 1), [], .status(414)),
      Self("GET", .longQuery(headBytes + 1), [], .status(414)),
      Self("GET", .long(headBytes - 1), [], .status(414)),
      Self("GET", .long(headBytes + 1), [], .status(414)),
      Self("GET", .long(targetBytes + 1), ["If-None-Match: *", "Range: bytes=0-0"], .status(414)),
      Self("GET", .long(targetBytes + 1), [], .status(414), filling: .fields(fieldCount + 1)),
      Self("GET", .long(targetBytes + 1), [], .status(414), filling: .bytes(headBytes + 1)),
    ]
    + ["GET", "HEAD", "OPTIONS", "POST", "get"].map {
      Self($0, .long(targetBytes + 1), [], .status(414))
    }

  private static let headSizes: [TableRequest] =
    [
      Self("GET", .object, [], .whole, filling: .bytes(headBytes)),
      Self("HEAD", .object, [], .whole, filling: .bytes(headBytes)),
      Self("GET", .object, ["Range: bytes=0-0"], .part(0, 0), filling: .bytes(headBytes)),
      Self("GET", .object, ["If-None-Match: {tag}"], .status(304), filling: .bytes(headBytes)),
      Self("GET", .missing, [], .status(404), filling: .bytes(headBytes)),
      Self("OPTIONS", .object, [], .status(204), filling: .bytes(headBytes)),
      Self("GET", .object, [], .whole, filling: .fields(fieldCount)),
      Self("HEAD", .changes, [], .whole, filling: .fields(fieldCount)),
      Self("GET", .object, ["Range: bytes=-1"], .part(-1, -1), filling: .fields(fieldCount)),
      Self("GET", .metadata, ["If-None-Match: {tag}"], .status(304), filling: .fields(fieldCount)),
      Self("GET", .object, ["Range: bytes=0-0"], .status(431), filling: .bytes(headBytes + 1)),
      Self("GET", .missing, ["If-None-Match: *"], .status(431), filling: .fields(fieldCount + 1)),
      Self("GET", .strange(.object), [], .status(431), filling: .fields(fieldCount + 1)),
      Self("GET", .object, [], .status(431), filling: .fields(2 * fieldCount)),
    ]
    + ["GET", "HEAD", "OPTIONS", "PUT"].flatMap { method in
      [Filling.bytes(headBytes + 1), .fields(fieldCount + 1)].map {
        Self(method, .object, [], .status(431), filling: $0)
      }
    }

  // A resource rejects an unknown parameter before it evaluates conditions; a page ignores it.
  static let parameters: [TableRequest] =
    ([
      .object, .metadata, .changes, .redirect, .health, .missing, .path("/v1"), .path("/v1/transit"),
      .path("/v1/transit/facts?model=2.1"), .path("/readyz"), .path("/metrics"), .path("/openapi.json"),
      .path("/metadata/2.root.json"),
    ] as [Target]).flatMap { target in
      [
        Self("GET", .strange(target), [], .status(400)), Self("HEAD", .strange(target), [], .status(400)),
        Self("GET", .strange(target), ["If-None-Match: *"], .status(400)),
        Self("OPTIONS", .strange(target), [], .status(204)),
        Self("POST", .strange(target), [], .status(405)),
      ]
    } + [
      Self("GET", .strange(.path("/")), [], .whole), Self("HEAD", .strange(.path("/")), [], .whole),
      Self("GET", .strange(.path("/app.js")), [], .whole),
      Self("GET", .strange(.path("/app.js")), ["If-None-Match: {tag}"], .status(304)),
      Self("GET", .strange(.path("/nothing")), [], .status(404)),
      Self("GET", .path("/v1/transit?"), [], .whole), Self("GET", .path("/livez?"), [], .whole),
    ]
}
