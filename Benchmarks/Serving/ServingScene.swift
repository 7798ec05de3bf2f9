import Foundation

/// A publication with a snapshot and changes, its front, and nginx with the same bytes.
final class ServingScene {
  /// Addresses of the form `http://127.0.0.1:…`.
  let front: String
  let nginx: String
  private let folder: String
  private let frontProgram: Program
  private let nginxProgram: Program

  /// Trips of the demo, for a snapshot of about 20 MB.
  private static let trips = 40_000
  /// Changed rows, for a gzipped delta of about 100 KB.
  private static let changedRows = 12_500

  init(folder: String) throws {
    self.folder = folder
    let deployment = "\(folder)/demo"
    try Tool.run(Tool.seedbank, ["demo", "--directory", deployment, "--trips", "\(Self.trips)"])
    let config = ["--config", "\(deployment)/seedbank.json"]
    try Tool.run(Tool.seedbank, ["regenerate"] + config)
    try Tool.run(
      "sqlite3",
      [
        "\(deployment)/transit.sqlite",
        "UPDATE stop SET name = name || ' ' || abs(random() % 1000) WHERE rowid <= \(Self.changedRows)",
      ])
    try Tool.run(Tool.seedbank, ["regenerate"] + config)
    (frontProgram, front) = try Self.startFront(config)
    (nginxProgram, nginx) = try Self.startNginx(folder, publication: "\(deployment)/publication")
  }

  /// Starts another front, and returns its address.
  static func startFront(_ config: [String]) throws -> (Program, String) {
    let limit = "\(2 * IdleConnections.usual)"
    let program = try Program(
      [Tool.seedbank, "serve", "--port", "0"] + config,
      environment: ["SEEDBANK_HTTP_CONNECTION_LIMIT": limit, "SEEDBANK_HTTP_PER_ADDRESS_LIMIT": limit])
    let line = try program.line()
    guard let address = line.split(separator: " ").last else {
      throw BenchmarkError.child("seedbank serve prints \(line)")
    }
    return (program, String(address))
  }

  private static func startNginx(_ folder: String, publication: String) throws -> (Program, String) {
    // Below the ephemeral range, so that no client gets it meanwhile. If it is taken, nginx ends with an error.
    let port = UInt16.random(in: 10_000..<30_000)
    try nginxConfiguration(folder, publication, port)
      .write(toFile: "\(folder)/nginx.conf", atomically: false, encoding: .utf8)
    let program = try Program(
      ["/usr/sbin/nginx", "-c", "\(folder)/nginx.conf", "-e", "\(folder)/nginx.err"])
    let address = "http://127.0.0.1:\(port)"
    for _ in 0..<100 {
      if (try? Tool.output(of: "curl", ["-sf", "\(address)/metadata/timestamp.json"])) != nil {
        return (program, address)
      }
      usleep(50_000)
    }
    throw BenchmarkError.child("nginx does not answer")
  }

  private static func nginxConfiguration(_ folder: String, _ publication: String, _ port: UInt16) -> String {
    """
    worker_processes auto; daemon off; pid \(folder)/nginx.pid; error_log \(folder)/nginx.err;
    user root;
    events { worker_connections 8192; }
    http {
      access_log off; sendfile on; tcp_nopush on; tcp_nodelay on;
      keepalive_requests 100000000; keepalive_timeout 65;
      open_file_cache max=1000; open_file_cache_valid 60s;
      types { application/json json; application/gzip gz; }
      add_header Cache-Control "max-age=1, stale-while-revalidate=5";
      add_header X-Content-Type-Options nosniff;
      add_header Access-Control-Allow-Origin "*";
      add_header Access-Control-Expose-Headers "*";
      server {
        listen 127.0.0.1:\(port); root \(publication);
        location /changes.json { alias \(folder)/changes.json; add_header Content-Encoding gzip; }
      }
    }
    """
  }

  func loads() throws -> [Load] {
    let snapshot = try location("\(front)/v1/transit/snapshot?model=2.1")
    let changes = "/v1/transit/changes?model=2.1&since=1"
    // The front's response as a file for nginx.
    _ = try Tool.output(
      of: "curl",
      ["-sf", "-H", "Accept-Encoding: gzip", "-o", "\(folder)/changes.json", front + changes])
    let gzip = ["Accept-Encoding: gzip"]
    return [
      Load(
        name: "small", path: "/metadata/timestamp.json", baselinePath: "/metadata/timestamp.json",
        connections: 64, headers: [], bar: 1.2, processorBar: 1.1),
      Load(
        name: "range", path: snapshot, baselinePath: snapshot, connections: 64,
        headers: ["Range: bytes=1000000-1000999"], bar: 0.5, processorBar: 2.5),
      Load(
        name: "snapshot", path: snapshot, baselinePath: snapshot, connections: 16, headers: [], bar: 1.2,
        processorBar: 1.5),
      Load(
        name: "dropped", client: .dropping, path: snapshot, baselinePath: snapshot, connections: 16,
        headers: [], bar: 1.2, processorBar: 1.5),
      Load(
        name: "changes", path: changes, baselinePath: "/changes.json", connections: 64, headers: gzip,
        bar: 0.9, processorBar: 2),
    ]
  }

  private func location(_ url: String) throws -> String {
    try Tool.output(of: "curl", ["-sf", "-o", "/dev/null", "-w", "%header{location}", url])
  }

  /// The processor time of the front and of nginx with its workers.
  var processorSeconds: (front: Double, nginx: Double) {
    (
      ProcessTimes.secondsWithChildren(frontProgram.identifier),
      ProcessTimes.secondsWithChildren(nginxProgram.identifier)
    )
  }

  func residentBytes() throws -> Int {
    try ProcessStatus.bytes("VmRSS", of: "\(frontProgram.identifier)")
  }
}
