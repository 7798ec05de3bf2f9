import SeedFormat

/// What the OpenAPI document's paths refer to.
enum OpenAPISchemas {
  static let parameters: JSONValue = [
    "dataset": path(
      "dataset", "A dataset's name.", ["type": "string", "pattern": "^[a-z]([a-z0-9-]{0,46}[a-z0-9])?$"]),
    "major": path(
      "major", "A series: the major of its models.",
      ["type": "integer", "minimum": 1, "maximum": .integer(Int64(Limits.modelNumber))]),
    "object": path(
      "object", "A file's name, as /v1 and the signed metadata give it.",
      ["type": "string", "pattern": objectPattern]),
    "file": path(
      "file", "A metadata file's name, such as timestamp.json.",
      ["type": "string", "pattern": "^(timestamp|[1-9][0-9]*\\.[a-z0-9-]+)\\.json$"]),
    "model": query(
      "model", "The model that the app was built for.", ["type": "string", "pattern": modelPattern]),
    "since": query("since", "The version that the client has.", whole),
    "epoch": [
      "name": "epoch", "in": "query", "required": false,
      "description": "The epoch of the version that the client has: changes of another one are refused.",
      "schema": epoch,
    ],
    "encoding": [
      "name": "encoding", "in": "query", "required": false, "description": "How the snapshot is compressed.",
      "schema": ["type": "string", "enum": ["gzip", "xz"], "default": "gzip"],
    ],
    "range": [
      "name": "Range", "in": "header", "required": false,
      "description": "One range of bytes; several are answered with the whole file.",
      "schema": ["type": "string"],
    ],
  ]

  static let headers: JSONValue = [
    "ETag": header("A strong tag; of an object its SHA-256."),
    "Cache-Control": header("How long it may be kept."),
    "Last-Modified": header("When the object was first published."),
    "Repr-Digest": header("The object's digest (RFC 9530)."),
    "Accept-Ranges": header("bytes"),
    "Content-Range": header("Which part this is."),
    "Location": header("Where the snapshot is."),
    "Link": header("rel=\"next\": the changes that follow; rel=\"deprecation\": what the operator says."),
    "Vary": header("Accept-Encoding"),
    "Deprecation": header("That the series comes to an end (RFC 9745)."),
    "Sunset": header("When it does (RFC 8594)."),
    "Retry-After": header("Seconds after which to ask again."),
    "Seedbank-Request": header("What the operator's log calls the request."),
    "Seedbank-Version": header("The version that the client has then."),
    "Seedbank-Epoch": header("Versions of another epoch have nothing in common with these."),
    "Seedbank-SHA256": header("The file's digest in hexadecimal digits."),
    "Seedbank-Length": header("The file's bytes."),
    "Seedbank-Raw-Length": header("Its bytes without compression."),
  ]

  static let responses: JSONValue = .object(
    [
      JSONMember(
        "NotModified",
        ["description": "The client has it.", "headers": OpenAPIDocument.headers(["ETag", "Cache-Control"])]),
      JSONMember(
        "ChangesNotModified",
        [
          "description": "The client has it.",
          "headers": OpenAPIDocument.headers(["ETag", "Cache-Control", "Vary"]),
        ]),
    ]
      + [
        (400, "A parameter or the request itself is malformed; `parameter` names it."),
        (404, "There is no such thing."),
        (
          410,
          "It is gone, as `type` says: `version-gone` and `version-ahead` name the snapshot to take instead, "
            + "`model-retired` asks for a newer app."
        ),
        (412, "What there is is not what If-Match or If-Unmodified-Since asks for."),
        (416, "The range begins at or after the end."),
        (500, "What is published is damaged here: the operator has to look at it."),
        (503, "Not now: ask again after Retry-After."),
      ].map { status, text in JSONMember("Problem\(status)", problem(status, text)) })

  private static func problem(_ status: Int, _ text: String) -> JSONValue {
    [
      "description": .string(text),
      "headers": OpenAPIDocument.headers(["Seedbank-Request"] + (problemHeaders[status] ?? [])),
      "content": [
        "application/problem+json": ["schema": OpenAPIDocument.reference("schemas", "Problem")]
      ],
    ]
  }

  private static let problemHeaders = [416: ["Content-Range"], 503: ["Retry-After"]]

  static let schemas: JSONValue = [
    "Overview": object(["datasets": array("Dataset")]),
    "Dataset": object([
      "dataset": text, "url": ["type": "string", "format": "uri-reference"], "series": array("Series"),
    ]),
    "Series": series, "Snapshot": snapshot, "Lifecycle": lifecycle, "Changes": changes, "Delta": delta,
    "Problem": object(
      ["type": problemType, "title": text, "status": ["type": "integer"], "detail": text],
      optional: [
        "parameter": text, "datasets": texts, "models": texts, "newest": model, "series": whole,
        "snapshot": ["type": "string", "format": "uri-reference"], "since": whole, "floor": whole,
        "head": whole,
      ]),
    "Alive": object(["live": ["type": "boolean"]]),
    "Readiness": object(
      [
        "ready": ["type": "boolean"], "series": ["type": "array", "items": ["type": "object"]],
        "signatures": array("Signature"), "warnings": texts,
      ], optional: ["error": text]),
    "Signature": object([
      "role": text, "expires": ["type": "string", "format": "date-time"],
      "state": [
        "type": "string", "enum": .array(SignatureExpiry.State.allCases.map { .string($0.rawValue) }),
      ],
    ]),
    "Metadata": object([
      "signatures": ["type": "array", "items": ["type": "object"]], "signed": ["type": "object"],
    ]),
    "OpenAPI": object(["openapi": text, "info": ["type": "object"], "paths": ["type": "object"]]),
  ]

  private static let series: JSONValue = object(
    [
      "major": whole, "epoch": epoch, "head": whole, "floor": whole, "model": model,
      "models": ["type": "array", "items": model],
      "lifecycle": OpenAPIDocument.reference("schemas", "Lifecycle"),
      "publishedAt": ["type": "string", "format": "date-time"], "publishedAtSeconds": ["type": "integer"],
      "pollSeconds": whole, "snapshots": array("Snapshot"), "snapshot": text,
      "deltas": object(["count": ["type": "integer"], "bytes": ["type": "integer"]]), "changes": text,
    ],
    optional: [
      "license": text, "attribution": text, "source": text,
      "hold": object(["version": whole, "since": ["type": "string", "format": "date-time"]]),
    ])

  private static let snapshot: JSONValue = object([
    "version": whole, "model": model, "encoding": ["type": "string", "enum": ["gzip", "xz"]],
    "length": ["type": "integer"], "rawLength": ["type": "integer"],
    "sha256": ["type": "string", "pattern": "^[0-9a-f]{64}$"],
    "url": ["type": "string", "format": "uri-reference"],
  ])

  private static let lifecycle: JSONValue = object(
    ["state": ["type": "string", "enum": ["active", "deprecated", "retired"]]],
    optional: ["sunset": ["type": "string", "format": "date"], "message": text])

  private static let changes: JSONValue = object([
    "dataset": text, "series": whole, "epoch": epoch, "from": whole, "to": whole, "head": whole,
    "more": ["type": "boolean"], "deltas": array("Delta"),
  ])

  private static let delta: JSONValue = [
    "type": "object",
    "description": "As stored: `changes` lists per table the keys to delete and the rows to upsert.",
    "required": ["from", "to", "changes"],
    "properties": ["from": whole, "to": whole, "changes": [:]],
  ]

  private static let objectPattern: JSONValue =
    "^[0-9a-f]{64}\\.(snapshot-[1-9][0-9]*\\.sqlite|delta-[1-9][0-9]*-[1-9][0-9]*\\.json)\\.(gz|xz)$"
  private static let text: JSONValue = ["type": "string"]
  private static let epoch: JSONValue = ["type": "string", "pattern": "^[0-9a-f]{16}$"]
  private static let texts: JSONValue = ["type": "array", "items": text]
  /// The router's types, and those of what the server says by itself.
  private static let problemType: JSONValue = [
    "type": "string",
    "enum": .array(
      (ProblemType.allCases.map(\.rawValue) + [
        "precondition-failed", "range-not-satisfiable", "version-not-supported",
      ]).map(JSONValue.string)),
  ]
  private static let whole: JSONValue = [
    "type": "integer", "minimum": 1, "maximum": .integer(Limits.exactJSONInteger),
  ]
  private static let modelPattern: JSONValue = "^[1-9][0-9]{0,2}\\.(0|[1-9][0-9]{0,2})$"
  private static let model: JSONValue = ["type": "string", "pattern": modelPattern]

  private static func header(_ text: String) -> JSONValue {
    ["description": .string(text), "schema": ["type": "string"]]
  }

  private static func path(_ name: String, _ text: String, _ schema: JSONValue) -> JSONValue {
    [
      "name": .string(name), "in": "path", "required": true, "description": .string(text), "schema": schema,
    ]
  }

  private static func query(_ name: String, _ text: String, _ schema: JSONValue) -> JSONValue {
    [
      "name": .string(name), "in": "query", "required": true, "description": .string(text),
      "schema": schema,
    ]
  }

  private static func array(_ schema: String) -> JSONValue {
    ["type": "array", "items": OpenAPIDocument.reference("schemas", schema)]
  }

  private static func object(
    _ members: KeyValuePairs<String, JSONValue>, optional: KeyValuePairs<String, JSONValue> = [:]
  ) -> JSONValue {
    let all = (Array(members) + Array(optional)).map { JSONMember($0.key, $0.value) }
    return [
      "type": "object", "required": .array(members.map { .string($0.key) }), "properties": .object(all),
    ]
  }
}
