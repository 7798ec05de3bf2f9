"""Writes the documents of an article's workload, and compares a database with plain dictionaries.

  article_tables.py write CASE FOLDER
  article_tables.py check CASE FOLDER DATABASE DOCUMENT...

Nothing here knows of the importer: a table is a dictionary of rows by their keys, and Python reads the
documents.
"""

import csv
import json
import pathlib
import random
import sqlite3
import sys


def put(table, key, row):
    """A column that a row does not mention keeps what it has."""
    kept = table.setdefault(key, {})
    kept.update((name, value) for name, value in row.items() if value is not ...)


def pick(source, *names):
    return {name: source.get(name, ...) for name in names}


def write(folder, name, value):
    path = pathlib.Path(folder, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value, indent=random.choice([None, 1])))


# A chat: channels with all that is in them. The second payload leaves things out.


def chat_write(folder):
    people = [{"id": f"u{n}", "name": f"Person {n}"} for n in range(40)]

    def message(number):
        kinds = random.sample(["like", "love", "sad"], random.randrange(4))
        return {
            "id": f"m{number}", "user": random.choice(people), "text": f"text {number}" * random.randrange(4),
            "created_at": f"2026-02-{number % 28 + 1:02}T10:00:00Z",
            "reactions": [{"type": kind, "user": random.choice(people)} for kind in kinds],
        }

    def channel(number):
        named = random.sample(people, 12)
        return {
            "channel": {"id": f"c{number}", "name": f"Channel {number}"},
            "members": [{"user": user, "role": random.choice(["owner", None])} for user in named],
            "messages": [message(number * 100 + n) for n in range(20)],
            "read": [{"user": user["id"], "last": n} for n, user in enumerate(named)],
        }

    channels = [channel(number) for number in range(30)]
    write(folder, "first.json", {"channels": channels})
    later = json.loads(json.dumps(channels[:25]))
    moved = later[0]["messages"].pop()
    for number, entry in enumerate(later):
        entry["members"] = random.sample(entry["members"], 7)
        entry["messages"] = [m for m in entry["messages"] if random.random() < 0.6]
        for one in entry["messages"]:
            one["reactions"] = one["reactions"][1:]
        if number % 5 == 1:
            del entry["members"]
        if number % 5 == 2:
            entry["read"] = None
        if number % 5 == 3:
            entry["messages"] = []
    later[1]["messages"].append(moved)
    later[4]["members"][0]["user"] = {"id": "u99", "name": "New"}
    write(folder, "second.json", {"channels": later})


def chat_expect(folder, documents):
    channel, user, member, message, reaction, read = ({} for _ in range(6))

    def person(value):
        if isinstance(value, str):
            put(user, value, {})
            return value
        put(user, value["id"], pick(value, "name"))
        return value["id"]

    def lose(table, is_there):
        for key in [key for key, row in table.items() if not is_there(key, row)]:
            del table[key]

    for document in documents:
        entries = json.loads(pathlib.Path(folder, document).read_text())["channels"]
        named = {one["id"] for entry in entries for one in entry["messages"]}
        for entry in entries:
            name = entry["channel"]["id"]
            put(channel, name, pick(entry["channel"], "name"))
            if "members" in entry:
                lose(member, lambda key, _: key[0] != name)
                for one in entry["members"]:
                    member[name, person(one["user"])] = {"role": one["role"]}
            if "read" in entry:
                lose(read, lambda key, _: key[0] != name)
                for one in entry["read"] or []:
                    read[name, person(one["user"])] = {"last": one["last"]}
            lose(message, lambda key, row: row["channel"] != name or key in named)
            for one in entry["messages"]:
                row = {"channel": name, "user": person(one["user"]), "created": one["created_at"]}
                put(message, one["id"], row | pick(one, "text"))
                lose(reaction, lambda key, _: key[0] != one["id"])
                for mark in one["reactions"]:
                    reaction[one["id"], mark["type"], person(mark["user"])] = {}
        lose(reaction, lambda key, _: key[0] in message)
    return {
        "channel": (["id"], channel), "user": (["id"], user), "member": (["channel", "user"], member),
        "message": (["id"], message), "reaction": (["message", "type", "user"], reaction),
        "read": (["channel", "user"], read),
    }


# Persons with phones; the second document has changes, gaps and phones with other owners.


def persons_write(folder):
    def person(number):
        phones = [{"id": number * 3 + n, "number": f"030 {number}{n}"} for n in range(random.randrange(4))]
        return {"id": number, "first_name": f"Name {number}", "born": 1950 + number % 60, "phones": phones}

    persons = [person(number) for number in range(1, 2001)]
    write(folder, "cold.json", persons)
    hot = json.loads(json.dumps(persons[500:])) + [person(number) for number in range(2001, 2100)]
    for number, entry in enumerate(hot):
        if number % 10 == 0:
            entry["first_name"] = "Renamed"
        if number % 10 == 1:
            del entry["born"], entry["phones"]
        if number % 10 == 2 and entry["phones"]:
            entry["phones"][0] = {"id": entry["phones"][0]["id"], "number": None}
        if number % 10 == 3 and number < 1500:
            # A phone of somebody who is not in this document.
            entry["phones"] = [{"id": number, "number": "moved"}]
    write(folder, "hot.json", hot)


def persons_expect(folder, documents):
    person, phone = {}, {}
    for document in documents:
        for entry in json.loads(pathlib.Path(folder, document).read_text()):
            name = entry.get("first_name", ...)
            put(person, entry["id"], {"firstName": name} | pick(entry, "born"))
            for one in entry.get("phones", []):
                put(phone, one["id"], {"person": entry["id"]} | pick(one, "number"))
    return {"person": (["id"], person), "phone": (["id"], phone)}


# A feed of five kinds of CSV files, one of them in two parts.

FEED = {
    "agency": ({"agency_id": "id", "agency_name": "name"}, ["id"]),
    "routes": ({"route_id": "id", "agency_id": "agency", "route_short_name": "short"}, ["id"]),
    "stops": (
        {
            "stop_id": "id", "stop_name": "name", "stop_lat": "lat", "stop_lon": "lon",
            "parent_station": "parent",
        },
        ["id"],
    ),
    "trips": ({"trip_id": "id", "route_id": "route"}, ["id"]),
    "stop_times": (
        {"trip_id": "trip", "stop_sequence": "seq", "stop_id": "stop", "arrival_time": "at"},
        ["trip", "seq"],
    ),
}
TABLES = {"agency": "agency", "routes": "route", "stops": "stop", "trips": "trip", "stop_times": "stop_time"}
NUMBERS = {"lat": float, "lon": float, "seq": int}


def feed_write(folder):
    def records(name, header, rows):
        path = pathlib.Path(folder, "feed", name)
        path.parent.mkdir(exist_ok=True)
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(header.split(","))
            writer.writerows(rows)

    def place(number):
        name = random.choice(["Nord", 'Am "Tor"', "Platz,\nMitte", "Straße"])
        parent = f"s{(number + 7) % 400}" if number % 3 == 0 else ""
        return [f"s{number}", f"{name} {number}", number / 8, -number * 1.25, parent]

    times = [[f"t{n // 20}", f"08:{n % 60:02}:00", f"s{n % 400}", n % 20] for n in range(6000)]
    random.shuffle(times)
    records("agency.txt", "agency_id,agency_name", [["A", 'The "A"'], ["B", "B, C & Co"]])
    routes = [[f"r{n}", "AB"[n % 2], n if n % 4 else ""] for n in range(40)]
    records("routes.txt", "route_id,agency_id,route_short_name", routes)
    records("stops.txt", "stop_id,stop_name,stop_lat,stop_lon,parent_station", map(place, range(400)))
    records("trips.txt", "trip_id,route_id", [[f"t{n}", f"r{n % 40}"] for n in range(300)])
    records("stop_times_1.txt", "trip_id,arrival_time,stop_id,stop_sequence", times[:2500])
    records("stop_times_2.txt", "trip_id,arrival_time,stop_id,stop_sequence", times[2500:])
    write(folder, "feed/LICENSE.txt", "all rights reserved")


def feed_expect(folder, documents):
    tables = {}
    for kind, (names, key) in FEED.items():
        rows = {}
        for path in pathlib.Path(folder, documents[0]).glob(f"{kind}*.txt"):
            for record in csv.DictReader(path.open(newline="")):
                row = {names[field]: text or None for field, text in record.items()}
                row = {name: NUMBERS.get(name, str)(text) if text else None for name, text in row.items()}
                identity = tuple(row.pop(name) for name in key)
                rows[identity if len(key) > 1 else identity[0]] = row
        tables[TABLES[kind]] = (key, rows)
    return tables


# Pages of a hundred objects until one is empty.


def pages_write(folder):
    for page in range(571):
        numbers = range(page * 100, page * 100 + 100) if page < 570 else []
        items = [{"id": n, "title": f"Title {n}", "rank": n / 4, "next": 56_999 - n} for n in numbers]
        write(folder, f"pages/{page:03}.json", {"page": page, "items": items})


def pages_expect(folder, documents):
    item = {}
    for path in pathlib.Path(folder, documents[0]).iterdir():
        for one in json.loads(path.read_text())["items"]:
            put(item, one["id"], pick(one, "title", "rank", "next"))
    return {"item": (["id"], item)}


# Dictionaries within dictionaries: rooms, their threads, the threads' posts; and who is in a room.


def firebase_write(folder):
    def post(number):
        return {"text": f"post {number}", "author": f"u{number % 17}", "stars": number % 6}

    def thread(number):
        posts = {f"-P{number}_{n}": post(number + n) for n in range(random.randrange(8))}
        return {"title": f"Thread {number}"} | ({"posts": posts} if posts else {})

    def room(number):
        threads = {f"-T{number}_{n}": thread(number * 10 + n) for n in range(5)}
        members = {f"u{n}": random.random() < 0.8 for n in range(number % 9)}
        return {"name": f"Room {number}", "threads": threads, "members": members}

    rooms = {f"-R{number}": room(number) for number in range(120)}
    users = {f"u{number}": {"name": f"User {number}"} for number in range(17)}
    write(folder, "first.json", {"rooms": rooms, "users": users})
    later = json.loads(json.dumps(rooms))
    for number, name in enumerate(list(later)):
        threads = later[name]["threads"]
        threads.pop(f"-T{number}_0")
        threads[f"-T{number}_1"] = None
        if number % 2:
            posts = threads[f"-T{number}_2"].setdefault("posts", {})
            posts["-Pnew" + str(number)] = post(number)
            posts.pop(f"-P{number * 10 + 2}_0", None)
        if number % 7 == 3:
            del later[name]["threads"], later[name]["members"]
        if number % 7 == 4:
            later[name]["members"] = {"u1": False, "u16": True}
    write(folder, "second.json", {"rooms": later, "users": users | {"u3": {"name": "Renamed"}}})


def firebase_expect(folder, documents):
    room, thread, post, member, user = ({} for _ in range(5))
    for document in documents:
        tree = json.loads(pathlib.Path(folder, document).read_text())
        user.update(tree["users"])
        for name, entry in tree["rooms"].items():
            put(room, name, pick(entry, "name"))
            if "members" in entry:
                for key in [key for key in member if key[0] == name]:
                    del member[key]
                member.update({(name, user): {} for user, there in entry["members"].items() if there})
            if "threads" not in entry:
                continue
            inner = {key: value for key, value in entry["threads"].items() if value is not None}
            for key in [key for key, row in thread.items() if row["room"] == name and key not in inner]:
                del thread[key]
            for key, value in inner.items():
                put(thread, key, {"room": name} | pick(value, "title"))
                if "posts" in value:
                    own = [one for one, row in post.items() if row["thread"] == key]
                    for old in own:
                        if old not in value["posts"]:
                            del post[old]
                for name_of, text in value.get("posts", {}).items():
                    put(post, name_of, {"thread": key} | pick(text, "text", "author", "stars"))
        for key in [key for key, row in post.items() if row["thread"] not in thread]:
            del post[key]
    return {
        "room": (["id"], room), "thread": (["id"], thread), "post": (["id"], post),
        "member": (["room", "user"], member), "user": (["id"], user),
    }


# The comparison.


def found(database, table, key):
    database.row_factory = sqlite3.Row
    rows = {}
    for record in database.execute(f'SELECT * FROM "{table}"'):
        row = dict(record)
        identity = tuple(row.pop(name) for name in key)
        rows[identity if len(key) > 1 else identity[0]] = row
    return rows


def typed(row):
    """To Python, 1 and 1.0 are equal."""
    return {name: (type(value), value) for name, value in row.items()}


def differences(database, tables):
    for table, (key, expected) in tables.items():
        rows = found(database, table, key)
        for identity in sorted(set(rows) | set(expected), key=str):
            got, meant = rows.get(identity), expected.get(identity)
            if got is not None and meant is not None:
                meant = {name: meant.get(name) for name in got} | meant
            if got is None or meant is None or typed(got) != typed(meant):
                yield f"{table} {identity}: found {got}, expected {meant}"


def check(case, folder, path, documents):
    tables = globals()[f"{case}_expect"](folder, documents)
    database = sqlite3.connect(path)
    wrong = list(differences(database, tables))
    if wrong:
        sys.exit("\n".join(wrong[:10]) + f"\n{len(wrong)} rows differ")
    print(sum(len(rows) for _, rows in tables.values()))


verb, case, folder, *rest = sys.argv[1:]
if verb == "write":
    random.seed(case)
    globals()[f"{case}_write"](folder)
else:
    check(case, folder, rest[0], rest[1:])
