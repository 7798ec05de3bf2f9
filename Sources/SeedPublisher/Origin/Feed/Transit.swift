/// The tables, keys and column types that the General Transit Feed Specification (GTFS) defines.
enum Transit {
  private static let keys: [String: [String]] = [
    "agency": ["agency_id"], "stops": ["stop_id"], "routes": ["route_id"], "trips": ["trip_id"],
    "stop_times": ["trip_id", "stop_sequence"], "calendar": ["service_id"],
    "calendar_dates": ["service_id", "date"], "fare_attributes": ["fare_id"],
    "fare_products": ["fare_product_id", "rider_category_id", "fare_media_id"],
    "fare_media": ["fare_media_id"],
    "shapes": ["shape_id", "shape_pt_sequence"], "frequencies": ["trip_id", "start_time"],
    "transfers": [
      "from_stop_id", "to_stop_id", "from_trip_id", "to_trip_id", "from_route_id", "to_route_id",
    ],
    "pathways": ["pathway_id"], "levels": ["level_id"], "location_groups": ["location_group_id"],
    "areas": ["area_id"], "stop_areas": ["area_id", "stop_id"], "networks": ["network_id"],
    "route_networks": ["route_id"],
    "timeframes": ["timeframe_group_id", "start_time", "end_time", "service_id"],
    "booking_rules": ["booking_rule_id"], "attributions": ["attribution_id"],
    "translations": ["table_name", "field_name", "language", "record_id", "record_sub_id", "field_value"],
  ]

  static func isTable(_ name: String) -> Bool { keys[name.lowercased()] != nil }

  static func isFeed(_ names: [String]) -> Bool {
    Set(["stops", "routes", "trips"]).isSubset(of: names.map { $0.lowercased() })
  }

  /// Returns the columns of the table's specified key that `columns` contains.
  static func key(of table: String, columns: [String]) -> [String] {
    (keys[table.lowercased()] ?? []).filter(columns.contains)
  }

  /// Suffixes of text columns, because names, codes and colours may consist only of digits.
  private static let textEndings = [
    "_id", "_name", "_code", "_desc", "_url", "_phone", "_email", "_lang", "_color", "_headsign", "_timezone",
    "_number",
  ]
  private static let texts: Set<String> = [
    "parent_station", "signposted_as", "reversed_signposted_as", "translation", "field_value",
  ]
  private static let integers: Set<String> = [
    "direction_id", "location_type", "wheelchair_boarding", "wheelchair_accessible", "bikes_allowed",
    "cars_allowed", "route_type", "route_sort_order", "continuous_pickup", "continuous_drop_off",
    "stop_sequence", "pickup_type", "drop_off_type", "timepoint", "stop_access", "monday", "tuesday",
    "wednesday", "thursday", "friday", "saturday", "sunday", "exception_type", "payment_method", "transfers",
    "transfer_duration", "shape_pt_sequence", "headway_secs", "exact_times", "transfer_type",
    "min_transfer_time", "pathway_mode", "is_bidirectional", "traversal_time", "stair_count", "booking_type",
    "fare_media_type", "duration_limit", "duration_limit_type", "fare_transfer_type", "transfer_count",
    "rule_priority", "is_producer", "is_operator", "is_authority", "prior_notice_duration_min",
    "prior_notice_duration_max", "prior_notice_last_day", "prior_notice_start_day", "cemv_support",
  ]
  private static let reals: Set<String> = [
    "stop_lat", "stop_lon", "shape_pt_lat", "shape_pt_lon", "shape_dist_traveled", "length", "max_slope",
    "min_width", "level_index",
  ]

  /// Returns `nil` for a column that the specification does not define, or that may contain any value.
  static func type(of column: String) -> FeedTable.ColumnType? {
    let column = column.lowercased()
    if integers.contains(column) { return .integer }
    if reals.contains(column) { return .real }
    return texts.contains(column) || textEndings.contains(where: column.hasSuffix) ? .text : nil
  }
}
