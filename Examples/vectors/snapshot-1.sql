PRAGMA application_id = 1397048644;
PRAGMA user_version = 1000;

CREATE TABLE seedbank_meta(key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "seedbank_meta"("key", "value") VALUES ('dataset', 'places');
INSERT INTO "seedbank_meta"("key", "value") VALUES ('digest', 'a55a1e2c820513a763c462578b34deebc71cc0d21216c1eb90c6f3138ad238fb');
INSERT INTO "seedbank_meta"("key", "value") VALUES ('epoch', '0123456789abcdef');
INSERT INTO "seedbank_meta"("key", "value") VALUES ('model', '1.0');
INSERT INTO "seedbank_meta"("key", "value") VALUES ('schema', '71cfebf47bc7d5dad6b464c6de70001eef62333804dcdd8bc84f9dfa070ac8c4');
INSERT INTO "seedbank_meta"("key", "value") VALUES ('series', '1');
INSERT INTO "seedbank_meta"("key", "value") VALUES ('version', '1');

CREATE TABLE seedbank_table(name TEXT PRIMARY KEY NOT NULL, rows INTEGER NOT NULL, sum BLOB NOT NULL) WITHOUT ROWID;
INSERT INTO "seedbank_table"("name", "rows", "sum") VALUES ('stop', 3, X'F8C6759F42EC1AEAD4985629FC62B0B0A42566133B420FD9E89D14A94D7A990C');
INSERT INTO "seedbank_table"("name", "rows", "sum") VALUES ('visit', 3, X'CFDA5DAA1EF413235068C963A64E6DC5C2F7660FE16EDEE096BD97AC69A22059');
INSERT INTO "seedbank_table"("name", "rows", "sum") VALUES ('word', 4, X'A1A6A72E88A83464BA90AFCA1AB346DEE58069E5294E478B47BFE178FBE35301');

CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, code TEXT UNIQUE, height REAL,
  photo BLOB, label TEXT AS (code || ' ' || name));
INSERT INTO "stop"("id", "name", "code", "height", "photo") VALUES (1, 'Alexanderplatz', 'A', 52.5, NULL);
INSERT INTO "stop"("id", "name", "code", "height", "photo") VALUES (2, 'Berlin "Hbf"', 'B', 1.0, X'00FF10');
INSERT INTO "stop"("id", "name", "code", "height", "photo") VALUES (3, 'Zoo', 'C', NULL, X'');

CREATE VIRTUAL TABLE stop_search USING fts5(name, label, content=stop, content_rowid=id);
INSERT INTO stop_search(stop_search) VALUES ('rebuild');

CREATE TABLE visit(day TEXT NOT NULL, stop INTEGER NOT NULL REFERENCES stop(id), number INTEGER, extra,
  PRIMARY KEY(stop, day)) WITHOUT ROWID;
INSERT INTO "visit"("day", "stop", "number", "extra") VALUES ('2026-07-31', 2, -1, NULL);
INSERT INTO "visit"("day", "stop", "number", "extra") VALUES ('2026-08-01', 1, 9007199254740993, '1');
INSERT INTO "visit"("day", "stop", "number", "extra") VALUES ('2026-08-01', 2, 0, 1.0);

CREATE TABLE word(language TEXT NOT NULL, text TEXT NOT NULL COLLATE NOCASE, weight, PRIMARY KEY(text, language));
INSERT INTO "word"("language", "text", "weight") VALUES ('de', 'Zoo', NULL);
INSERT INTO "word"("language", "text", "weight") VALUES ('de', 'halt', 1);
INSERT INTO "word"("language", "text", "weight") VALUES ('de', 'zug', 1);
INSERT INTO "word"("language", "text", "weight") VALUES ('en', 'halt', 0.0);
