import SeedDatabase
import SeedPublisher

#if SEEDBANK_POSTGRES
import SeedPostgres
#endif

/// Creates and removes the log of one kind of origin.
protocol OriginLogMaker {
  var origin: String { get }
  func draft() throws -> OriginLogDraft
  /// The statements that remove the log; empty without a log.
  func removal() throws -> [String]
  /// The same statements as a script for another user, in one transaction.
  func script(_ statements: [String]) -> [String]
  func run(_ statements: [String]) throws
}

struct OriginLogDraft {
  /// Tables with a log, each with the means of logging.
  var logged: [(table: String, by: String)] = []
  /// Tables without a log, each with the reason. Their rows are compared.
  var left: [(table: String, reason: String)] = []
  var statements: [String] = []
}

struct SQLiteLogMaker: OriginLogMaker {
  let origin: String
  private let setup: SQLiteLogSetup
  private let plans: [SeriesPlan]

  init(_ path: String, _ plans: [SeriesPlan]) throws {
    (origin, setup, self.plans) = (path, try SQLiteLogSetup(path), plans)
  }

  func draft() throws -> OriginLogDraft {
    let draft = try setup.draft()
    let logged = draft.logged.map { table, keys in
      let remark = SQLiteLogSetup.remark(on: table, keys: keys, plans).map { "as a whole: \($0)" }
      return (table: table, by: remark ?? "by \(keys.joined(separator: ", "))")
    }
    return OriginLogDraft(logged: logged, left: draft.left, statements: draft.statements)
  }

  func removal() throws -> [String] { try setup.removal() }

  func script(_ statements: [String]) -> [String] { ["BEGIN IMMEDIATE"] + statements + ["COMMIT"] }

  func run(_ statements: [String]) throws { try setup.run(statements) }
}

#if SEEDBANK_POSTGRES
struct PostgresLogMaker: OriginLogMaker {
  let origin: String
  private let setup: PostgresLogSetup
  private let place: PostgresPlace
  private let plans: [SeriesPlan]

  /// `owner` is the user who may write, if it differs from the publishing user.
  init(_ dataset: DatasetConfiguration, _ url: PostgresURL, owner: PostgresURL?) throws {
    origin = dataset.originText
    plans = try dataset.plans()
    place = dataset.postgresPlace(url)
    setup = try PostgresLogSetup(place, owner: owner.map(dataset.postgresPlace))
  }

  func draft() throws -> OriginLogDraft {
    let draft = try setup.draft(plans)
    let logged = draft.logged.map { table in
      let remark = table.remark.map { "as a whole: \($0)" }
      return (table: table.table, by: remark ?? "by \(table.keys.joined(separator: ", "))")
    }
    return OriginLogDraft(
      logged: logged, left: draft.left + (try restless()), statements: draft.statements)
  }

  private func restless() throws -> [(table: String, reason: String)] {
    let origin = try PostgresOrigin(place)
    return try plans.flatMap { plan in
      try origin.restlessTables(plan).sorted { $0.key < $1.key }.map { table, reason in
        ("\(plan.series) \(table)", "its rows may change without a write: \(reason)")
      }
    }
  }

  func removal() throws -> [String] { try setup.removal() }

  func script(_ statements: [String]) -> [String] { setup.script(statements) }

  func run(_ statements: [String]) throws { try setup.run(statements) }
}
#endif
