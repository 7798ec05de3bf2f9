"""Writes to a primary in many ways, and pauses and resumes the replay of its standby at random.

Eight sessions take turns: their transactions overlap, but one statement runs at a time, so psycopg can read the state
after each commit. Each line of the output is such a state; a published version may only show one of these. Arguments:
both URLs, how many seconds, a seed, and a SELECT of all rows as text.
"""

import collections
import itertools
import random
import sys
import time

import psycopg
from psycopg import errors

IDLE, OPEN, ALONE = range(3)
# Another session or the publisher has locked a row or a table, or another row has the key.
EXPECTED = errors.LockNotAvailable, errors.DeadlockDetected, errors.UniqueViolation
numbers = itertools.count()


# Kinds of transactions

def savepoints(key, name):
    return [
        "SAVEPOINT one", f"DELETE FROM item WHERE id = {key}",
        "SAVEPOINT two", f"UPDATE item SET name = '{name}' WHERE id = {key} + 1",
        random.choice(["ROLLBACK TO two", "RELEASE two"]), f"INSERT INTO item VALUES ({key} + 100, '{name}')",
        random.choice(["ROLLBACK TO one", "RELEASE one"])]


def subtransactions(key, name):
    """More than a server keeps in memory for a session."""
    return [f"""DO $$ BEGIN FOR turn IN 1..80 LOOP BEGIN
        UPDATE item SET name = '{name} ' || turn WHERE id = {key}; PERFORM 1 / (turn % 3);
        EXCEPTION WHEN division_by_zero THEN NULL; END; END LOOP; END $$"""]


def prepared(key, name):
    return [f"UPDATE item SET name = '{name}' WHERE id BETWEEN {key} AND {key} + 2",
            f"DELETE FROM part WHERE id = {key}"]


def keys(key, name):
    return [f"UPDATE item SET id = -id WHERE id IN ({key}, -{key})", f"UPDATE part SET id = 39 - id WHERE id = {key}",
            f"INSERT INTO part VALUES ({key}, '{name}') ON CONFLICT (id) DO UPDATE SET name = excluded.name"]


def label(key, name):
    return ["SELECT pg_advisory_xact_lock(1)",
            "DO $$ BEGIN EXECUTE format('ALTER TYPE mood RENAME VALUE %L TO %L', enum_first(NULL::mood), "
            f"'{name}'); END $$",
            f"UPDATE item SET mood = enum_first(NULL::mood) WHERE id = {key}"]


def vacuum(key, name):
    return ["VACUUM (FREEZE) item, part, bulk, mark"]


def truncate(key, name):
    return ["TRUNCATE bulk", f"INSERT INTO bulk SELECT i, '{name}' FROM generate_series(1, 20) i"]


def freeze(key, name):
    return ["TRUNCATE bulk", f"COPY bulk FROM PROGRAM 'seq -f \"%.0f,{name}\" 20' (FREEZE, FORMAT csv)"]


def attached(key, name):
    """The other partition has as many rows."""
    return ["CREATE TABLE other (LIKE part_low INCLUDING ALL)", f"INSERT INTO other SELECT id, '{name}' FROM part_low",
            "ALTER TABLE part DETACH PARTITION part_low", "DROP TABLE part_low", "ALTER TABLE other RENAME TO part_low",
            "ALTER TABLE part ATTACH PARTITION part_low FOR VALUES FROM (0) TO (20)"]


def detached(key, name):
    """Writes to a partition while it is detached."""
    return ["ALTER TABLE part DETACH PARTITION part_low", f"UPDATE part_low SET name = '{name}' WHERE id < {key}",
            "ALTER TABLE part ATTACH PARTITION part_low FOR VALUES FROM (0) TO (20)"]


def column(key, name):
    """Gives all rows a new value without writing them."""
    return [f"ALTER TABLE item DROP COLUMN added, ADD COLUMN added int NOT NULL DEFAULT {key}"]


KINDS = [savepoints, subtransactions, prepared, keys, label, vacuum, truncate, freeze, attached, detached, column]
# These lock whole tables, so they run after all other sessions' transactions.
EXCLUSIVE = truncate, freeze, attached, detached, column
# After these, a step can follow the log.
CALM = savepoints, subtransactions, prepared, keys, vacuum


class Storm:
    def __init__(self, primary, lines):
        self.primary, self.deck, self.done = primary, [], collections.Counter()
        self.query = f"SELECT string_agg(line, ';' ORDER BY line COLLATE \"C\") FROM ({lines}) lines"
        self.reader = self.connect()
        self.states = []
        self.record()
        self.sessions = [self.session(self.connect(), number) for number in range(8)]
        self.standing = [next(session) for session in self.sessions]

    def connect(self):
        connection = psycopg.connect(self.primary, autocommit=True, prepare_threshold=None)
        connection.execute("SET statement_timeout = '20s'; SET lock_timeout = '5ms'")
        return connection

    def record(self):
        self.states.append(self.reader.execute(self.query).fetchone()[0])

    def session(self, own, number):
        """Yields this session's standing between statements."""
        while True:
            yield IDLE
            self.deck = self.deck or random.choices(CALM, k=60) + random.sample(KINDS, len(KINDS))
            kind = self.deck.pop()
            statements = kind(random.randrange(40), f"row {next(numbers)}")
            if kind is vacuum:
                own.execute(statements[0])
            elif not (yield from self.transaction(own, number, kind, statements)):
                continue
            self.done[kind.__name__] += 1

    def transaction(self, own, number, kind, statements):
        """Returns whether it was committed."""
        standing = ALONE if kind in EXCLUSIVE else OPEN
        yield standing
        own.execute("BEGIN")
        try:
            if standing == ALONE:
                own.execute("SET LOCAL lock_timeout = '2s'")
            for statement in statements + [f"UPDATE mark SET n = n + 1 WHERE session = {number}"]:
                own.execute(statement)
                yield standing
        except EXPECTED:
            own.execute("ROLLBACK")
            return False
        end = random.choices(["COMMIT", "ROLLBACK"], [9, 1])[0]
        if kind is prepared or random.random() < 0.2:
            own.execute(f"PREPARE TRANSACTION 'storm {number}'")
            for _ in range(random.randrange(6)):
                yield standing
            end += f" PREPARED 'storm {number}'"
        own.execute(end)
        if end.startswith("COMMIT"):
            self.record()
        return end.startswith("COMMIT")

    @property
    def is_complete(self):
        return len(self.done) == len(KINDS)

    def turn(self, number):
        self.standing[number] = next(self.sessions[number])
        if self.standing[number] != ALONE:
            return
        self.finish()
        while self.standing[number] == ALONE:
            self.standing[number] = next(self.sessions[number])
            time.sleep(random.uniform(0, 0.01))

    def finish(self):
        """Ends all open transactions."""
        for number in range(len(self.sessions)):
            while self.standing[number] == OPEN:
                self.turn(number)


def replay(standby, word):
    """Retries, because replay may cancel this query too."""
    for turn in range(50):
        try:
            with psycopg.connect(standby, autocommit=True) as connection:
                return connection.execute(f"SELECT pg_wal_replay_{word}()")
        except psycopg.OperationalError:
            time.sleep(0.1)
    raise TimeoutError(word)


def main(primary, standby, seconds, seed, lines):
    random.seed(int(seed))
    end, due, words = time.monotonic() + float(seconds), 0, itertools.cycle(["pause", "resume"])
    storm = Storm(primary, lines)
    while time.monotonic() < end or not storm.is_complete and time.monotonic() < end + 30:
        storm.turn(random.randrange(len(storm.sessions)))
        time.sleep(random.uniform(0, 0.005))
        if time.monotonic() > due:
            replay(standby, next(words))
            due = time.monotonic() + random.uniform(0.1, 1.5)
    storm.finish()
    replay(standby, "resume")
    print("\n".join(storm.states))
    print(dict(storm.done), file=sys.stderr)
    assert storm.is_complete


main(*sys.argv[1:])
