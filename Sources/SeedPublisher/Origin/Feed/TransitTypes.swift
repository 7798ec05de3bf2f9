/// What columns hold by the reference of the General Transit Feed Specification (GTFS), whatever their values look like.
enum TransitTypes {
  /// How names of columns end that hold texts: names, codes and colours may all be digits today.
  private static let textEndings = [
    "_id", "_name", "_code", "_desc", "_url", "_phone", "_email", "_lang", "_color", "_headsign", "_timezone",
    "_number",
  ]
  private static let texts: Set<String> = [
    "parent_station", "signposted_as", "reversed_signposted_as", "language", "translation", "record_sub_id",
    "field_value", "currency", "currency_type", "message", "pickup_message", "drop_off_message",
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

  /// `nil` for columns that the reference does not know, or that may hold anything.
  static func type(of column: String) -> FeedTable.ColumnType? {
    let column = column.lowercased()
    if integers.contains(column) { return .integer }
    if reals.contains(column) { return .real }
    return texts.contains(column) || textEndings.contains(where: column.hasSuffix) ? .text : nil
  }
}
