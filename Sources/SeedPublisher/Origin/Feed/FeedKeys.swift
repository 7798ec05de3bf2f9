/// Which columns name a table's rows, by the reference of the General Transit Feed Specification (GTFS).
enum FeedKeys {
  private static let transit: [String: [String]] = [
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

  /// Tables that tell a feed of this kind.
  private static let sure: Set<String> = ["stops", "routes", "trips"]

  /// Whether tables of these names are such a feed.
  static func areTransit(_ names: [String]) -> Bool { sure.isSubset(of: names.map { $0.lowercased() }) }

  static func isKnown(_ table: String) -> Bool { transit[table.lowercased()] != nil }

  /// The key of a table by its name, as far as it has the columns.
  static func known(_ table: String, columns: [String]) -> [String] {
    (transit[table.lowercased()] ?? []).filter(columns.contains)
  }
}
