import SeedDatabase
import SeedFormat

/// Looks for what works here and may disappoint elsewhere: observers that see nothing, clients whose SQLite is older.
struct SchemaLint {
  private let model: ModelDefinition
  private let schema: DatabaseSchema

  /// The oldest SQLite that clients may have.
  static let minimumSQLite = "3.40"

  /// Functions that came after ``minimumSQLite``, with the version that brought them.
  private static let youngerFunctions: [String: String] = [
    "UNHEX": "3.41", "OCTET_LENGTH": "3.43", "TIMEDIFF": "3.43", "CONCAT": "3.44", "CONCAT_WS": "3.44",
    "STRING_AGG": "3.44", "JSONB": "3.45", "JSONB_ARRAY": "3.45", "JSONB_EXTRACT": "3.45",
    "JSONB_OBJECT": "3.45", "JSONB_SET": "3.45", "JSON_PRETTY": "3.46", "IF": "3.48", "UNISTR": "3.50",
  ]

  init(_ model: ModelDefinition, _ schema: DatabaseSchema) {
    self.model = model
    self.schema = schema
  }

  /// One sentence each.
  var warnings: [String] { hiddenTables + youngFunctions + brokenViews }

  private var file: String { "\(model.path)/schema.sql" }

  private var hiddenTables: [String] {
    schema.tables.filter(\.isWithoutRowid).map {
      "\(file): table \"\($0.name)\" is WITHOUT ROWID: SQLite tells no observer of its changes, so an app that "
        + "watches the database (GRDB does) does not see them"
    }
  }

  /// Views are not read when they are made, so that a slip in one shows only where an app opens it.
  private var brokenViews: [String] {
    guard let made = try? Connection("lint", .memory), (try? made.execute(model.schemaSQL)) != nil else {
      return []
    }
    return schema.views.compactMap { view -> String? in
      do throws(DatabaseError) {
        _ = try made.prepare("SELECT * FROM \(quoted(view))")
        return nil
      } catch {
        // A function may be there on a younger SQLite; a name will not be.
        guard error.message.hasPrefix("no such column") || error.message.hasPrefix("no such table") else {
          return nil
        }
        return "\(file): view \"\(view)\": \(error.message): no app can read it"
      }
    }
  }

  private var youngFunctions: [String] {
    SQLFunctions.calls(in: model.schemaSQL).sorted().compactMap { name in
      Self.youngerFunctions[name].map {
        "\(file): \(name.lowercased())() needs SQLite \($0), and clients may have \(Self.minimumSQLite)"
      }
    }
  }
}
