enum ColumnType: Hashable, Sendable {
  case bool
  case integer(bytes: Int)
  case oid
  case float4
  case float8
  case numeric
  /// A type whose values have the same text form under all settings.
  case text
  /// An inet, whose text would include a redundant mask.
  case address
  case uuid
  case blob
  /// Microseconds since 2000: in UTC if the type has a time zone, otherwise in the operator's zone.
  case timestamp(isUTC: Bool)
  /// Arrays, composite types and others that JSON can represent.
  case structured
  /// A type whose values have no unambiguous form, with the reason.
  case refused(String)

  /// Built-in types by their OIDs, which never change.
  fileprivate static let known: [UInt32: ColumnType] = [
    16: .bool, 17: .blob, 20: .integer(bytes: 8), 21: .integer(bytes: 2), 23: .integer(bytes: 4), 26: .oid,
    700: .float4, 701: .float8, 1700: .numeric, 869: .address, 2950: .uuid,
    1114: .timestamp(isUTC: false), 1184: .timestamp(isUTC: true),
    790: .refused("its text depends on the server's lc_monetary"),
  ].merging(texts.map { ($0, .text) }) { known, _ in known }

  /// "char", name, text, json, xml, cidr, macaddr8, unknown, macaddr, bpchar, varchar, date, time, interval, timetz,
  /// bit, varbit, jsonb.
  private static let texts: Set<UInt32> = [
    18, 19, 25, 114, 142, 650, 774, 705, 829, 1042, 1043, 1082, 1083, 1186, 1266, 1560, 1562, 3802,
  ]

  /// Extension types by name, because their OIDs differ between databases.
  fileprivate static let extensions: [String: ColumnType] = [
    "citext": .text, "ltree": .text, "hstore": .structured,
  ]
}

final class TypeCatalog {
  private let connection: PostgresConnection
  private var types = ColumnType.known

  init(_ connection: PostgresConnection) { self.connection = connection }

  func type(_ oid: UInt32) throws(PostgresError) -> ColumnType {
    if let type = types[oid] { return type }
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
    default: return ColumnType.extensions[row[0] ?? ""] ?? .refused("Seedbank does not support it")
    }
  }

  private func attributes(_ relation: UInt32) throws(PostgresError) -> [UInt32] {
    try connection.rows(
      "SELECT atttypid FROM pg_attribute WHERE attrelid = $1 AND attnum > 0 AND NOT attisdropped",
      ["\(relation)"]
    ).compactMap { $0[0].flatMap { UInt32($0) } }
  }

  private func structured(of parts: [UInt32]) throws(PostgresError) -> ColumnType {
    for part in parts {
      if case .refused(let reason) = try type(part) { return .refused("in \(try name(part)), \(reason)") }
    }
    return .structured
  }
}
