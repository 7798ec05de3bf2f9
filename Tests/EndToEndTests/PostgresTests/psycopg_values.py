"""Compares the table "typed" of a PostgreSQL database, as psycopg reads it, with the same table of a SQLite file.

What each type becomes in SQLite is written down here once more, from the article's table alone. The end of a column's name says
which type the client's column has, where it is not the usual one; the start "spelled_" that PostgreSQL's own text is meant.
"""

import datetime
import decimal
import ipaddress
import json
import math
import sqlite3
import sys
import uuid

import psycopg
from psycopg.types import TypeInfo
from psycopg.types.composite import CompositeInfo, register_composite
from psycopg.types.hstore import register_hstore
from psycopg.types.multirange import Multirange
from psycopg.types.range import Range

ADDRESSES = (
    ipaddress.IPv4Address,
    ipaddress.IPv4Interface,
    ipaddress.IPv4Network,
)
EPOCH = datetime.datetime(1970, 1, 1)


def interval(value):
    hours, rest = divmod(value.seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    parts = [(hours, "H"), (minutes, "M"), (seconds, "S")]
    time = "".join(f"{number}{unit}" for number, unit in parts if number)
    days = f"{value.days}D" if value.days else ""
    return f"P{days}T{time}" if time else f"P{days}"


def universal(value):
    if value.tzinfo:
        value = value.astimezone(datetime.timezone.utc)
    return value.replace(tzinfo=None)


def moment(value):
    zone = "Z" if value.tzinfo else ""
    return universal(value).strftime("%Y-%m-%dT%H:%M:%S.%f") + zone


def microseconds(value):
    return (universal(value) - EPOCH) // datetime.timedelta(microseconds=1)


def spelled(value):
    """As a text of PostgreSQL's."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def numbers(value, kind):
    if isinstance(value, datetime.datetime):
        return microseconds(value) if kind is int else microseconds(value) / 1e6
    return kind(value)


OTHER_COLUMNS = {
    "text": spelled,
    "integer": lambda value: numbers(value, int),
    "real": lambda value: numbers(value, float),
    "blob": lambda value: value.bytes,
    "date": lambda value: value.isoformat(),
}


def expected(value):
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, (uuid.UUID, *ADDRESSES)):
        return str(value)
    if isinstance(value, datetime.datetime):
        return moment(value)
    if isinstance(value, datetime.time):
        return value.isoformat().removesuffix(":00") if value.tzinfo else value.isoformat()
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return interval(value)
    if isinstance(value, Range):
        return f"[{value.lower},{value.upper})"
    if isinstance(value, Multirange):
        return "{" + ",".join(expected(part) for part in value) + "}"
    return value


def same(column, value, found):
    start, _, kind = column.rpartition("_as_")
    if start:
        value = OTHER_COLUMNS[kind](value)
        return type(value) is type(found) and value == found
    if column == "pair":
        value = value._asdict()
    if isinstance(value, (list, dict)):
        return isinstance(found, str) and json.loads(found) == value
    value = expected(value)
    # psycopg pads what PostgreSQL pads.
    if column == "bpchar":
        value = value.rstrip(" ")
    return type(value) is type(found) and value == found


def asked(column):
    return f'"{column}"::text' if column.startswith("spelled_") else f'"{column}"'


def main(url, path):
    with psycopg.connect(url) as connection:
        connection.execute("SET timezone = 'UTC'")
        register_hstore(TypeInfo.fetch(connection, "hstore"), connection)
        register_composite(CompositeInfo.fetch(connection, "pair"), connection)
        table = connection.execute("SELECT * FROM typed LIMIT 0")
        columns = [column.name for column in table.description]
        theirs = connection.execute(f"SELECT {', '.join(map(asked, columns))} FROM typed ORDER BY id").fetchall()
    names = ", ".join(f'"{name}"' for name in columns)
    ours = sqlite3.connect(path).execute(f"SELECT {names} FROM typed ORDER BY id").fetchall()
    assert len(theirs) == len(ours), (len(theirs), len(ours))
    for row, found in zip(theirs, ours):
        for column, value, stored in zip(columns, row, found):
            assert same(column, value, stored), (column, value, stored)
    print(f"{len(ours)} rows of {len(columns)} columns are equal")


main(*sys.argv[1:])
