"""Prints what plistlib reads of each file, one line a file, in a spelling that a test can compare.

  read_plist.py make FOLDER SEED COUNT     makes COUNT random lists in FOLDER first
  read_plist.py read FOLDER                reads what is there
"""
import datetime
import math
import os
import plistlib
import random
import struct
import sys

EPOCH = datetime.datetime(2001, 1, 1)


def value(random, depth):
    kind = random.randrange(11 if depth else 8)
    if kind == 0:
        return random.random() < 0.5
    if kind == 1:
        return random.choice([0, 1, 255, 256, 65535, 65536, 2**31, 2**63 - 1, -1, -(2**63), random.randrange(-(2**40), 2**40)])
    if kind == 2:
        return random.choice([0.0, -0.0, 1.5, float("inf"), random.uniform(-1e9, 1e9)])
    if kind == 3:
        return EPOCH + datetime.timedelta(seconds=random.randrange(-(10**9), 10**9))
    if kind == 4:
        return random.randbytes(random.choice([0, 1, 14, 15, 16, 300]))
    if kind == 5:
        return "".join(random.choice("abcdefghij") for _ in range(random.choice([0, 1, 14, 15, 16, 300])))
    if kind == 6:
        return "".join(random.choice("aé→😀") for _ in range(random.randrange(20)))
    if kind == 7:
        return plistlib.UID(random.choice([0, 1, 255, 256, 65536, 2**40]))
    members = range(random.choice([0, 1, 3, 15, 20]))
    if kind == 8:
        return [value(random, depth - 1) for _ in members]
    return {"k%d" % member: value(random, depth - 1) for member in members}


def spelled(value):
    if value is None:
        return "n"
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, int):
        return "i%d" % value
    if isinstance(value, float):
        return "rNaN" if value != value else "r" + struct.pack(">d", value).hex()
    if isinstance(value, datetime.datetime):
        # Python keeps microseconds: what lies so near to a whole second counts as that.
        return "d%d" % math.floor((value - EPOCH).total_seconds() + 0.001)
    if isinstance(value, bytes):
        return "x" + value.hex()
    if isinstance(value, str):
        return "s" + value.encode().hex()
    if isinstance(value, plistlib.UID):
        return "u%d" % value.data
    if isinstance(value, list):
        return "[" + ",".join(map(spelled, value)) + "]"
    pairs = sorted((key.encode().hex(), spelled(member)) for key, member in value.items())
    return "{" + ",".join(key + ":" + member for key, member in pairs) + "}"


def line(path):
    with open(path, "rb") as file:
        data = file.read()
    try:
        return spelled(plistlib.loads(data, fmt=plistlib.FMT_BINARY))
    except plistlib.InvalidFileException as error:
        # A date that Python cannot hold: what plistlib makes of it stands behind its own error.
        isDate = isinstance(error.__context__, OverflowError) or "NaN" in str(error.__context__)
        return "?" if isDate else "!"
    except Exception:
        return "!"


action, folder = sys.argv[1:3]
if action == "make":
    generator = random.Random(int(sys.argv[3]))
    for number in range(int(sys.argv[4])):
        with open(os.path.join(folder, "%05d" % number), "wb") as file:
            plistlib.dump(value(generator, 4), file, fmt=plistlib.FMT_BINARY)
for name in sorted(os.listdir(folder)):
    print(line(os.path.join(folder, name)))
