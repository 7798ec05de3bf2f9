SELECT id, name AS title, latitude AS lat, longitude AS lon FROM stop
