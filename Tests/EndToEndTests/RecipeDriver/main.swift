// Calls every function of the articles' examples, whose files are compiled together with this one. Prints a line for
// each example that works as described in its article.

import Foundation
import SQLite
import SeedClient
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

let arguments = CommandLine.arguments
let server = URL(string: arguments[1])!
let (shipped, data) = (URL(fileURLWithPath: arguments[2]), URL(fileURLWithPath: arguments[3]))

struct NotAsDocumented: Error { let example: String }

func done(_ example: String, _ holds: Bool) throws {
  guard holds else { throw NotAsDocumented(example: example) }
  FileHandle.standardOutput.write(Data("\(example)\n".utf8))
}

/// Runs an endless function until it calls `enough`.
func until(_ body: @escaping @Sendable (_ enough: @escaping @Sendable () -> Void) async throws -> Void)
  async throws
{
  let (signals, signal) = AsyncStream.makeStream(of: Void.self)
  let task = Task { try await body { signal.yield() } }
  for await _ in signals { break }
  task.cancel()
}

let seeds = try makeSeeds(server: server, shipped: shipped, directory: data.appending(path: "seed"))
try done("makeSeeds", await seeds.state.version == nil)
try done("firstStops", try await firstStops(seeds).count == 3)
let expected: Int? = try await seeds.value(
  "SELECT count(*) FROM stop_time WHERE stop_id IN (SELECT id FROM stop WHERE zone = 'A' ORDER BY name LIMIT 3)"
)
try done("calls", try await calls(at: firstStops(seeds), seeds) == expected)
let inner = try await seeds.value("SELECT count(*) FROM stop WHERE zone = 'A'", as: Int.self)
try done("numberOfStops", try await numberOfStops(in: .inner, seeds) == inner && inner != 0)
let both = try await stopsWithTotal(seeds)
try done("stopsWithTotal", both.stops.count == 3 && both.total > 1000)
try done("settings", await settings(seeds)[0].hasSuffix("bundled with the app"))
try done("updateFrugally", try await updateFrugally(seeds).hasPrefix("version"))

var phases: [String] = []
let report = try await update(seeds) { phase, _ in phases.append(phase) }
try done("update", report.action == .upToDate && phases.first == "Checking for updates")
try done("refuseEmptyTimetables", try await !refuseEmptyTimetables(seeds))
try await mend(seeds)
try done("mend", try await firstStops(seeds).count == 3)

let shown = Mutex(0)
try await until { enough in
  try await follow(seeds) { rows in
    shown.withLock { $0 = rows.count }
    enough()
  }
}
try done("follow", shown.withLock { $0 } == 20)

try await until { enough in
  try await countStops(seeds) { count in
    shown.withLock { $0 = count }
    enough()
  }
}
try done("countStops", shown.withLock { $0 } > 1000)

var favourites: OpaquePointer?
let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI
sqlite3_open_v2(data.appending(path: "favourites.sqlite").path, &favourites, flags, nil)
sqlite3_exec(favourites, "CREATE TABLE favourite(stop_id TEXT PRIMARY KEY, note TEXT)", nil, nil, nil)
let held = try await seeds.prepare()
let join = try attach(held, toFavourites: favourites!)
try done("attach", sqlite3_exec(favourites, join, nil, nil, nil) == SQLITE_OK)
sqlite3_close_v2(favourites)

var search: StopSearch? = StopSearch(seeds)
while search?.stops.isLoaded == false { await Task.yield() }
let all = search?.stops.rows.count
search?.text = "Z"
while search?.stops.rows.contains(where: { !$0.name.hasPrefix("Z") }) == true { await Task.yield() }
try done("StopSearch", all == 100 && search?.stops.error == nil && search?.progress == nil)
search = nil

await sceneChanged(isActive: false, seeds)
var refusal: SeedError?
do { _ = try await firstStops(seeds) } catch { refusal = error as? SeedError }
await sceneChanged(isActive: true, seeds)
try done("sceneChanged", try await firstStops(seeds).count == 3 && refusal?.code == .suspended)

let freed = try await clearDownloads(seeds)
let cleared = await seeds.state.version
try await seeds.prepare()
let origin = await seeds.state.origin
try done(
  "clearDownloads",
  try await firstStops(seeds).count == 3 && cleared == nil && freed > 100_000 && origin == .bundled)

let widget = try widgetSeeds(in: data)
try done("widgetSeeds", try await firstStops(widget).count == 3)
await widget.close()

let entries = Mutex<[String]>([])
let loggingOptions = optionsWithLog { entry in entries.withLock { $0.append(entry) } }
let logging = try SeedStore(.transit, reading: data.appending(path: "seed"), options: loggingOptions)
try await logging.prepare()
try done("optionsWithLog", entries.withLock { $0.first?.hasPrefix("info: ") } == true)

let session = URLSessionConfiguration.ephemeral
session.httpAdditionalHeaders = [:]
optionsWithKey("secret").configureSession(session)
try done("optionsWithKey", session.httpAdditionalHeaders?["X-Key"] as? String == "secret")
var asked = URLRequest(url: server)
optionsWithToken { "secret" }.prepareRequest(&asked)
try done("optionsWithToken", asked.value(forHTTPHeaderField: "Authorization") == "Bearer secret")
optionsWithSignedURLs { [URLQueryItem(name: "expires", value: "1")] }.prepareRequest(&asked)
try done("optionsWithSignedURLs", asked.url?.query == "expires=1")
try done("pushed", await !pushed(seeds))
try done("options", options(forSecrets: true).fileProtection == .whileUnlocked)
try done("publisher", try publisher().model.dataset == "test")
try done("newPlaceIsShown", try await newPlaceIsShown())
try done("firstStartOffline", try await firstStartOffline())
let fraction = try await halfWay()
try done("halfWay", fraction.map { abs($0 - 0.5) < 0.01 } == true)
try done("looksAgainAfterAMinute", try await looksAgainAfterAMinute() == ["Alex"])
try done("fixtures", fixtures())
try done("refresh", await refresh(seeds) == nil)
try done("advice", refusal.flatMap { advice(for: $0) } == nil)
