"""Writes to a primary, and pauses and resumes the replay of its standby at random.

Each line is a state of the table t as psycopg reads it from the primary, in the order of the commits. The standby may
only ever show one of these states. Arguments: both URLs, how many seconds, and a seed.
"""

import random
import sys
import time

import psycopg

STATE = "SELECT string_agg(id || '=' || name, ',' ORDER BY id) FROM t"


def state(connection):
    return connection.execute(STATE).fetchone()[0]


def write(connection, number):
    """The row 0 makes each state different."""
    with connection.transaction():
        connection.execute("UPDATE t SET name = %s WHERE id = 0", (number,))
        key = random.randint(1, 20)
        if not connection.execute("DELETE FROM t WHERE id = %s", (key,)).rowcount or random.random() < 0.5:
            connection.execute("INSERT INTO t VALUES (%s, %s)", (key, number))


def main(primary, standby, seconds, seed):
    random.seed(int(seed))
    end, due, paused = time.monotonic() + float(seconds), 0, False
    with psycopg.connect(primary, autocommit=True) as writer, psycopg.connect(standby, autocommit=True) as reader:
        seen = [state(writer)]
        while time.monotonic() < end:
            write(writer, f"change {len(seen)}")
            seen.append(state(writer))
            if time.monotonic() > due:
                paused = not paused
                reader.execute(f"SELECT pg_wal_replay_{'pause' if paused else 'resume'}()")
                due = time.monotonic() + random.uniform(0.3, 2)
                shown = state(reader)
                assert shown in seen, shown
            time.sleep(random.uniform(0.01, 0.2))
        reader.execute("SELECT pg_wal_replay_resume()")
    print("\n".join(seen))


main(*sys.argv[1:])
