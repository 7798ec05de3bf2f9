/// Caches the server's descriptions of types.
final class TypeCatalog {
  private let connection: PostgresConnection
  private var types: [UInt32: ColumnType] = [:]

  init(_ connection: PostgresConnection) { self.connection = connection }

  func type(_ oid: UInt32) throws(PostgresError) -> ColumnType {
    if let type = types[oid] ?? ColumnType(oid: oid) { return type }
    let type = try described(oid)
    types[oid] = type
    return type
  }

  func name(_ oid: UInt32) throws(PostgresError) -> String {
    try connection.rows("SELECT format_type($1::oid, NULL)", ["\(oid)"]).first?[0] ?? "\(oid)"
  }

  private func described(_ oid: UInt32) throws(PostgresError) -> ColumnType {
    let rows = try connection.rows(
      "SELECT typname, typtype, typcategory, typelem, typrelid, typbasetype FROM pg_type WHERE oid = $1",
      ["\(oid)"])
    guard let row = rows.first else { return .refused("the server does not have it") }
    func number(_ index: Int) -> UInt32 { row[index].flatMap { UInt32($0) } ?? 0 }
    switch (row[1], row[2]) {
    case ("e", _), ("r", _), ("m", _): return .text
    case ("d", _): return try type(number(5))
    case ("c", _): return try structured(of: try attributes(number(4)))
    case (_, "A"): return try structured(of: [number(3)])
    default: return ColumnType(extension: row[0] ?? "")
    }
  }

  private func attributes(_ relation: UInt32) throws(PostgresError) -> [UInt32] {
    try connection.rows(
      "SELECT atttypid FROM pg_attribute WHERE attrelid = $1 AND attnum > 0 AND NOT attisdropped",
      ["\(relation)"]
    ).compactMap { $0[0].flatMap { UInt32($0) } }
  }

  /// Refused if one of its parts is.
  private func structured(of parts: [UInt32]) throws(PostgresError) -> ColumnType {
    for part in parts {
      if case .refused(let reason) = try type(part) { return .refused("in \(try name(part)), \(reason)") }
    }
    return .structured
  }
}
