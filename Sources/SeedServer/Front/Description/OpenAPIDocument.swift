import SeedFormat

/// The surface as an OpenAPI 3.1 document, for generators and for checks from outside.
enum OpenAPIDocument {
  static let json: JSONValue = [
    "openapi": "3.1.0",
    "info": [
      "title": "Seedbank", "version": "1",
      "summary": "Ready-made SQLite snapshots, and what changed since.",
      "description":
        """
      Take the snapshot for your model once, then ask for the changes since the version you have: apply the \
      deltas in order, each row as an upsert by its key, then remember `to`. What is below /metadata and \
      /targets is a TUF repository; clients that verify signatures read that.
      """,
      "license": ["name": "What is served carries its own license; see /v1."],
    ],
    "servers": [["url": "/"]],
    "tags": [
      ["name": "data", "description": "What apps read."],
      ["name": "repository", "description": "The signed files themselves."],
      ["name": "operation", "description": "What operators and load balancers read."],
    ],
    "paths": .object(paths.map { JSONMember($0.0, $0.1) }),
    "components": [
      "parameters": OpenAPISchemas.parameters, "headers": OpenAPISchemas.headers,
      "schemas": OpenAPISchemas.schemas, "responses": OpenAPISchemas.responses,
    ],
  ]

  private static let paths: [(String, JSONValue)] = [
    ("/v1", get("data", "listDatasets", "All datasets that are published.", answers: json("Overview"))),
    (
      "/v1/{dataset}",
      get(
        "data", "describeDataset", "One dataset: its series, versions, sizes and terms.", ["dataset"],
        answers: json("Dataset"), problems: [404])
    ),
    (
      "/v1/{dataset}/snapshot",
      get(
        "data", "findSnapshot", "Leads to the newest snapshot that a model can open.",
        ["dataset", "model", "encoding"], answers: redirect, problems: [404, 410, 503])
    ),
    (
      "/v1/{dataset}/changes",
      get(
        "data", "listChanges", "What changed since a version.", ["dataset", "model", "since", "epoch"],
        answers: json(
          "Changes",
          headers: [
            "Link", "Seedbank-Version", "Seedbank-Epoch", "Vary", "Deprecation", "Sunset",
          ]), problems: [404, 410, 500, 503], unchanged: "ChangesNotModified")
    ),
    (
      "/metadata/{file}",
      get(
        "repository", "readMetadata", "A file of TUF metadata.", ["file"], answers: json("Metadata"),
        problems: [404])
    ),
    (
      "/targets/{dataset}/{major}/{object}",
      get(
        "repository", "readObject", "A snapshot or a delta. The name never means another content.",
        ["dataset", "major", "object", "range"], answers: object, problems: [404, 412, 416, 500])
    ),
    (
      "/livez",
      get(
        "operation", "isAlive", "Whether the process answers.", answers: json("Alive"), unchanged: nil)
    ),
    (
      "/readyz",
      get(
        "operation", "isReady", "Whether every series has a snapshot to start from.", answers: readiness,
        unchanged: nil, waits: false)
    ),
    (
      "/metrics",
      get(
        "operation", "readMetrics", "Counts and gauges in Prometheus' text format.", answers: metrics,
        unchanged: nil)
    ),
    ("/openapi.json", get("operation", "describe", "This document.", answers: json("OpenAPI"))),
  ]

  /// A path that knows GET and HEAD.
  private static func get(
    _ tag: String, _ name: String, _ summary: String, _ parameters: [String] = [],
    answers: [JSONMember], problems: [Int] = [], unchanged: String? = "NotModified", waits: Bool = true
  ) -> JSONValue {
    let codes = Set(problems + [400, 412] + (waits ? [503] : [])).sorted()
    var responses = answers
    if let unchanged { responses.append(JSONMember("304", reference("responses", unchanged))) }
    responses += codes.map { JSONMember("\($0)", reference("responses", "Problem\($0)")) }
    let shared: [JSONMember] = [
      JSONMember("tags", [.string(tag)]), JSONMember("summary", .string(summary)),
      JSONMember("parameters", .array(parameters.map { reference("parameters", $0) })),
      JSONMember("responses", .object(responses)),
    ]
    return [
      "get": .object([JSONMember("operationId", .string(name))] + shared),
      "head": .object(
        [JSONMember("operationId", .string("\(name)Head"))] + shared.map(withoutBodies)),
    ]
  }

  /// HEAD has the same answers without their contents, and knows no ranges (RFC 9110, 14.2).
  private static func withoutBodies(_ member: JSONMember) -> JSONMember {
    guard member.name == "responses", case .object(let responses) = member.value else { return member }
    return JSONMember(
      "responses",
      .object(
        responses.filter { !["206", "416"].contains($0.name) }.map { response in
          guard case .object(let parts) = response.value else { return response }
          return JSONMember(response.name, .object(parts.filter { $0.name != "content" }))
        }))
  }

  static func reference(_ kind: String, _ name: String) -> JSONValue {
    ["$ref": .string("#/components/\(kind)/\(name)")]
  }

  static func headers(_ names: [String]) -> JSONValue {
    .object(names.map { JSONMember($0, reference("headers", $0)) })
  }

  private static func json(
    _ schema: String, headers names: [String] = []
  ) -> [JSONMember] {
    [
      JSONMember(
        "200",
        [
          "description": "What was asked for.", "headers": headers(["ETag", "Cache-Control"] + names),
          "content": ["application/json": ["schema": reference("schemas", schema)]],
        ])
    ]
  }

  private static let redirect = [
    JSONMember(
      "307",
      [
        "description": "The snapshot's place; its version, length and digest stand in the headers.",
        "headers": headers([
          "Location", "Cache-Control", "Seedbank-Version", "Seedbank-Epoch", "Seedbank-SHA256",
          "Seedbank-Length", "Seedbank-Raw-Length", "Deprecation", "Sunset",
        ]),
      ])
  ]

  private static let object: [JSONMember] = {
    let content: JSONValue = ["application/gzip": [:], "application/x-xz": [:]]
    let names = ["ETag", "Cache-Control", "Last-Modified", "Repr-Digest", "Accept-Ranges"]
    return [
      JSONMember(
        "200", ["description": "The whole file.", "headers": headers(names), "content": content]),
      JSONMember(
        "206",
        [
          "description": "A part of it.", "headers": headers(names + ["Content-Range"]), "content": content,
        ]),
    ]
  }()

  private static let readiness = ["200", "503"].map { status in
    JSONMember(
      status,
      [
        "description": .string(status == "200" ? "Ready." : "Not ready, or about to end."),
        "headers": headers(["Cache-Control"] + (status == "503" ? ["Retry-After"] : [])),
        "content": ["application/json": ["schema": reference("schemas", "Readiness")]],
      ])
  }

  private static let metrics = [
    JSONMember(
      "200",
      ["description": "All metrics.", "content": ["text/plain": ["schema": ["type": "string"]]]])
  ]
}
