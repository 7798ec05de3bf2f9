/// A client schema with all difficult kinds of tables.
package enum HardSchema {
  package static let sql = #"""
    CREATE TABLE plain(id INTEGER PRIMARY KEY, name TEXT, n INTEGER, r REAL, b BLOB, num NUMERIC, any);
    CREATE INDEX plain_name ON plain(name COLLATE NOCASE);
    CREATE TABLE nocase(k TEXT COLLATE NOCASE PRIMARY KEY, v);
    CREATE TABLE trimmed(k TEXT COLLATE RTRIM NOT NULL UNIQUE, v TEXT COLLATE NOCASE);
    CREATE TABLE composite(a TEXT, b INTEGER, v REAL, PRIMARY KEY(b, a)) WITHOUT ROWID;
    CREATE TABLE "odd ""name"""("the key" TEXT, "select" INTEGER, "ü" BLOB, PRIMARY KEY("the key", "select"));
    CREATE TABLE slots(id INTEGER PRIMARY KEY, slot INTEGER UNIQUE, name TEXT, UNIQUE(name));
    CREATE TABLE tree(id INTEGER PRIMARY KEY, parent INTEGER REFERENCES tree(id) ON DELETE CASCADE);
    CREATE TABLE left_side(id INTEGER PRIMARY KEY, other INTEGER REFERENCES right_side(id));
    CREATE TABLE right_side(id INTEGER PRIMARY KEY, other INTEGER REFERENCES left_side(id) ON DELETE SET NULL);
    CREATE TABLE child(id INTEGER PRIMARY KEY, plain_id INTEGER REFERENCES plain ON DELETE CASCADE, note TEXT);
    CREATE TABLE computed(id TEXT PRIMARY KEY, a INTEGER, doubled AS (a * 2), c TEXT, stored AS (c || '!') STORED);
    CREATE TABLE real_key(k REAL PRIMARY KEY, v) WITHOUT ROWID;
    CREATE TABLE any_key(k PRIMARY KEY, v INTEGER);
    CREATE TABLE checked(id INTEGER PRIMARY KEY, low INTEGER NOT NULL DEFAULT 0, high INTEGER, CHECK (low <= high));
    CREATE VIRTUAL TABLE search USING fts5(name, content='plain', content_rowid='id');
    CREATE VIEW names AS SELECT id, name FROM plain WHERE name IS NOT NULL;
    """#

  /// In an order for insertions: parents before children.
  package static let tables = [
    "plain", "nocase", "trimmed", "composite", "odd \"name\"", "slots", "tree", "left_side", "right_side",
    "child", "computed", "real_key", "any_key", "checked",
  ]
}
