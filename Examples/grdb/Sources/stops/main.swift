import Foundation
import GRDB
import SeedClient
import SeedGRDB

// stops SERVER ROOT FOLDER: prints the demo's first stops with the user's notes, and again whenever either changes.
let arguments = CommandLine.arguments
let folder = URL(fileURLWithPath: arguments[3])
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
let seeds = try SeedStore(
  SeedModel(
    dataset: "transit", version: "2.1",
    schema: "d19a709feba10ba639b3d8240fc4188f736bff9e4c12d82d2e75234435bc1816"),
  server: URL(string: arguments[1])!, root: Data(contentsOf: URL(fileURLWithPath: arguments[2])),
  directory: folder.appending(path: "seed"))
let pool = try await SeededPool(seeds, beside: folder.appending(path: "notes.sqlite").path) { print($0) }.pool
try pool.write { db in
  try db.execute(sql: "CREATE TABLE IF NOT EXISTS note(stop_id TEXT PRIMARY KEY, text TEXT NOT NULL)")
  try db.execute(sql: "INSERT OR IGNORE INTO note SELECT min(id), 'home' FROM stop")
}
Task { try await seeds.keepUpdated { print($0) } }
let stops = ValueObservation.tracking { db in
  try String.fetchAll(
    db,
    sql: """
      SELECT name || coalesce(': ' || note.text, '') FROM stop
      LEFT JOIN note ON note.stop_id = stop.id ORDER BY stop.id LIMIT 3
      """)
}
for try await names in stops.values(in: pool) { print(names.joined(separator: ", ")) }
