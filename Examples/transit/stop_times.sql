SELECT trip_id, position, stop_id, arrival, departure, departure - arrival AS dwell FROM stop_time
