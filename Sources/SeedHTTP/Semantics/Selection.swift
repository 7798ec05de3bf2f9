import SeedSystem

/// What becomes of a whole, successful answer under the conditions and ranges of its request.
enum Selection: Hashable, Sendable {
  /// It goes out as it is.
  case whole
  /// 206 with that part.
  case part(Range<Int64>)
  /// 304: the client has it.
  case notModified
  /// 412: the client asked for something else than there is.
  case preconditionFailed
  /// 416: the client asked for bytes that there are not.
  case unsatisfiable

  /// Evaluates in the order of RFC 9110, 13.2.2.
  init(of response: HTTPResponse, for request: HTTPRequest) {
    let conditions = Conditions(request.headers, response.headers)
    guard conditions.isUnchangedAsRequired else {
      self = .preconditionFailed
      return
    }
    guard conditions.isChangedAsRequired else {
      self = .notModified
      return
    }
    self = Self.range(of: response, for: request, conditions)
  }

  // RFC 9110, 14.2: of the methods only GET knows ranges.
  private static func range(
    of response: HTTPResponse, for request: HTTPRequest, _ conditions: Conditions
  ) -> Selection {
    guard request.method == .get, response.body.canBeCut, response.headers["Accept-Ranges"] == "bytes",
      conditions.allowsRange
    else { return .whole }
    return switch ByteRanges(request.headers, length: response.body.length) {
    case .whole: .whole
    case .part(let bytes): .part(bytes)
    case .none: .unsatisfiable
    }
  }
}

/// A request's conditions beside the validators of what would be sent.
private struct Conditions {
  let request: HTTPHeaders
  let tag: String?
  let lastModified: String?

  init(_ request: HTTPHeaders, _ response: HTTPHeaders) {
    self.request = request
    tag = response["ETag"]
    lastModified = response["Last-Modified"]
  }

  /// If-Match, and only without it If-Unmodified-Since.
  var isUnchangedAsRequired: Bool {
    if let required = EntityTags("If-Match", of: request) { return required.containsStrongly(tag) }
    guard let limit = date("If-Unmodified-Since"), let modified else { return true }
    return modified <= limit
  }

  /// If-None-Match, and only without it If-Modified-Since.
  var isChangedAsRequired: Bool {
    if let known = EntityTags("If-None-Match", of: request) { return !known.containsWeakly(tag) }
    guard let known = date("If-Modified-Since"), let modified else { return true }
    return modified > known
  }

  /// If-Range: the very validator, strongly compared (RFC 9110, 13.1.5).
  var allowsRange: Bool {
    let validators = request.values(of: "If-Range")
    guard let validator = validators.first else { return true }
    return validators.count == 1 && (validator == tag || validator == lastModified)
  }

  private var modified: UTCTime? { lastModified.flatMap { UTCTime(http: $0) } }

  /// The date in the field; more than one, or none that can be read, counts as no condition.
  private func date(_ name: String) -> UTCTime? {
    let values = request.values(of: name)
    return values.count == 1 ? UTCTime(http: values[0]) : nil
  }
}

extension HTTPBody {
  /// Whether any part of it can be had without the rest.
  fileprivate var canBeCut: Bool {
    if case .stream = self { false } else { true }
  }
}
