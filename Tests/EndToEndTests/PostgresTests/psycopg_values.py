"""Compares the table "typed" of a PostgreSQL database, as psycopg reads it, with the same table of a SQLite file.

What each type becomes in SQLite is written down here once more, from the article's table alone.
"""

import datetime
import decimal
import ipaddress
import json
import sqlite3
import sys
import uuid

import psycopg
from psycopg.types.range import Range

ADDRESSES = (
    ipaddress.IPv4Address,
    ipaddress.IPv4Interface,
    ipaddress.IPv4Network,
)


def interval(value):
    hours, rest = divmod(value.seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    parts = [(hours, "H"), (minutes, "M"), (seconds, "S")]
    time = "".join(f"{number}{unit}" for number, unit in parts if number)
    days = f"{value.days}D" if value.days else ""
    return f"P{days}T{time}" if time else f"P{days}"


def moment(value):
    zone = "Z" if value.tzinfo else ""
    if value.tzinfo:
        value = value.astimezone(datetime.timezone.utc)
    return value.strftime("%Y-%m-%dT%H:%M:%S.%f") + zone


def expected(value):
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, (uuid.UUID, *ADDRESSES)):
        return str(value)
    if isinstance(value, datetime.datetime):
        return moment(value)
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return interval(value)
    if isinstance(value, Range):
        return f"[{value.lower},{value.upper})"
    return value


def same(column, value, found):
    if isinstance(value, (list, dict)):
        return isinstance(found, str) and json.loads(found) == value
    value = expected(value)
    # psycopg pads what PostgreSQL pads.
    if column == "bpchar":
        value = value.rstrip(" ")
    return type(value) is type(found) and value == found


def main(url, path):
    with psycopg.connect(url) as connection:
        cursor = connection.execute("SELECT * FROM typed ORDER BY id")
        columns = [column.name for column in cursor.description]
        theirs = cursor.fetchall()
    names = ", ".join(f'"{name}"' for name in columns)
    ours = sqlite3.connect(path).execute(f"SELECT {names} FROM typed ORDER BY id").fetchall()
    assert len(theirs) == len(ours), (len(theirs), len(ours))
    for row, found in zip(theirs, ours):
        for column, value, stored in zip(columns, row, found):
            assert same(column, value, stored), (column, value, stored)
    print(f"{len(ours)} rows of {len(columns)} columns are equal")


main(*sys.argv[1:])
