"""Makes an empty store as Core Data would, from a description of a model.

  make_store.py FILE MODEL.json

Beside FILE it writes FILE.columns: what each column holds, one line a column, sorted.

MODEL.json has "entities", each with "name", and where wanted "parent", "abstract", "attributes", "relationships", "unique"
and "indexes". Beside them may stand "checksums" (default true), "history" and "archive", a list of changes to keys of archived
objects: [class, name, key, value], where null takes the key away.
"""
import base64
import hashlib
import json
import os
import plistlib
import sqlite3
import sys
import zlib
from plistlib import UID

TYPES = {
    100: ("INTEGER", "NSNumber"), 200: ("INTEGER", "NSNumber"), 300: ("INTEGER", "NSNumber"), 400: ("DECIMAL", "NSDecimalNumber"),
    500: ("FLOAT", "NSNumber"), 600: ("FLOAT", "NSNumber"), 700: ("VARCHAR", "NSString"), 800: ("INTEGER", "NSNumber"),
    900: ("TIMESTAMP", "NSDate"), 1000: ("BLOB", "NSData"), 1100: ("BLOB", "NSUUID"), 1200: ("VARCHAR", "NSURL"), 1800: ("BLOB", None),
}


class Archive:
    """A keyed archive while it is made."""

    def __init__(self):
        self.objects, self.classes, self.texts = ["$null"], {}, {}

    def add(self, value):
        self.objects.append(value)
        return UID(len(self.objects) - 1)

    def text(self, value):
        if value is None:
            return UID(0)
        if value not in self.texts:
            self.texts[value] = self.add(value)
        return self.texts[value]

    def object(self, name, **keys):
        """Numbers and truths stand where they are; all else is a reference."""
        if name not in self.classes:
            self.classes[name] = self.add({"$classname": name, "$classes": [name, "NSObject"]})
        return self.add(dict(keys, **{"$class": self.classes[name]}))

    def list(self, values, name="NSMutableArray"):
        return self.object(name, **{"NS.objects": values})

    def dictionary(self, pairs, name="NSMutableDictionary"):
        return self.object(name, **{"NS.keys": [self.text(key) for key, _ in pairs], "NS.objects": [value for _, value in pairs]})

    def bytes(self, root):
        whole = {"$version": 100000, "$archiver": "NSKeyedArchiver", "$top": {"root": root}, "$objects": self.objects}
        return plistlib.dumps(whole, fmt=plistlib.FMT_BINARY)


class Model:
    def __init__(self, description):
        self.description = description
        self.entities = {entity["name"]: entity for entity in description["entities"]}
        self.archive = Archive()
        self.numbers = {}
        self.number(None)

    def children(self, parent):
        return sorted(name for name, entity in self.entities.items() if entity.get("parent") == parent)

    def number(self, parent):
        for name in self.children(parent):
            self.numbers[name] = len(self.numbers) + 1
            self.number(name)

    def line(self, name):
        while name:
            yield self.entities[name]
            name = self.entities[name].get("parent")

    def root(self, name):
        return list(self.line(name))[-1]["name"]

    def relationship(self, entity, name):
        return next((owner, r) for owner in self.line(entity) for r in owner.get("relationships", []) if r["name"] == name)

    def archived(self):
        archive = self.archive
        self.model = archive.object("NSManagedObjectModel")
        self.ids = {name: archive.object("NSEntityDescription") for name in sorted(self.entities)}
        self.inverses = []
        properties = {}
        for name in self.numbers:
            properties[name] = self.properties(name)
        for relation, owner, inverse in self.inverses:
            archive.objects[relation.data]["NSInverseRelationship"] = properties[owner][inverse]
        for name, uid in self.ids.items():
            archive.objects[uid.data].update(self.entity(name, properties[name]))
        names = sorted(self.entities)
        mapping = archive.object(
            "NSKnownKeysMappingStrategy1", version=1, length=len(names), keys=archive.list([archive.text(n) for n in names], "NSArray"))
        known = archive.object(
            "NSKnownKeysDictionary1", version=1, searchMapping=mapping, emptyToken=archive.text("empty"),
            values=archive.list([self.ids[n] for n in names], "NSArray"))
        archive.objects[self.model.data].update(
            NSEntities=known, NSFetchRequestTemplates=UID(0), NSVersionIdentifiers=archive.list([archive.text("1")], "NSSet"))
        self.change()
        return archive.bytes(self.model)

    def change(self):
        """The lies that were asked for."""
        objects = self.archive.objects
        for kind, name, key, value in self.description.get("archive", []):
            for item in objects:
                if not isinstance(item, dict) or "$class" not in item or objects[item["$class"].data]["$classname"] != kind:
                    continue
                own = item.get("NSPropertyName", item.get("NSEntityName", item.get("NSIndexName")))
                if name is not None and (own is None or objects[own.data] != name):
                    continue
                if value is None:
                    item.pop(key, None)
                else:
                    item[key] = self.archive.text(value) if isinstance(value, str) else value

    def entity(self, name, properties):
        archive, entity = self.archive, self.entities[name]
        keys = dict(
            NSEntityName=archive.text(name), NSClassNameForEntity=UID(0), NSManagedObjectModel=self.model,
            NSRenamingIdentifier=archive.text(name), NSVersionHashModifier=UID(0), NSUserInfo=archive.dictionary([], "NSDictionary"),
            NSSuperentity=self.ids[entity["parent"]] if entity.get("parent") else UID(0),
            NSSubentities=archive.dictionary([(child, self.ids[child]) for child in self.children(name)]),
            NSProperties=archive.dictionary(list(properties.items())),
            NSUniqueTuples=archive.list([archive.list([archive.text(p) for p in names]) for names in entity.get("unique", [])]),
            NSFetchIndexDescriptions=archive.list([self.index(index) for index in entity.get("indexes", [])]))
        if entity.get("abstract"):
            keys["NSIsAbstract"] = True
        return keys

    def index(self, index):
        archive = self.archive
        elements = [
            archive.object("NSFetchIndexElementDescription", NSPropertyName=archive.text(p), NSFetchIndexElementType=0, NSAscending=True)
            for p in index["properties"]]
        return archive.object(
            "NSFetchIndexDescription", NSIndexName=archive.text(index["name"]), NSIndexElements=archive.list(elements),
            NSPartialIndexPredicate=UID(0))

    def properties(self, name):
        """Its own and copies of all above, as Core Data archives them."""
        found = {}
        for entity in self.line(name):
            for attribute in entity.get("attributes", []):
                found[attribute["name"]] = self.attribute(attribute, name)
            for relationship in entity.get("relationships", []):
                found[relationship["name"]] = self.archived_relationship(relationship, name)
            for fetched in entity.get("fetched", []):
                found[fetched] = self.archive.object(
                    "NSFetchedPropertyDescription", **self.common({"name": fetched, "optional": True, "transient": True}, name))
        return found

    def common(self, property, entity):
        optional, transient = property.get("optional", True), property.get("transient", False)
        keys = dict(
            NSEntity=self.ids[entity], NSPropertyName=self.archive.text(property["name"]),
            NSRenamingIdentifier=self.archive.text(property["name"]),
            _P=241 + 2 * optional + 4 * ("counts" in property) + 8 * transient + 1024 * property.get("ordered", False))
        if optional:
            keys["NSIsOptional"] = True
        if transient:
            keys["NSIsTransient"] = True
        return keys

    def attribute(self, attribute, entity):
        archive, kind = self.archive, attribute.get("type", 2100)
        keys = self.common(attribute, entity)
        value = attribute.get("default")
        keys.update(
            NSAttributeType=kind, NSFlagsKey=4 * attribute.get("external", False), NSValueTransformerName=UID(0),
            NSAttributeValueClassName=archive.text(TYPES.get(kind, (None, "NSDictionary" if kind == 2100 else None))[1]),
            NSDefaultValue=UID(0) if value is None else archive.add(value))
        name = "NSAttributeDescription"
        if "elements" in attribute:
            name = "NSCompositeAttributeDescription"
            keys["NSCompositeElements"] = archive.list([self.attribute(element, entity) for element in attribute["elements"]])
        if "counts" in attribute:
            name = "NSDerivedAttributeDescription"
            keys.update(NSIsReadOnly=True, NSFilteringPredicate=UID(0), NSDerivationExpression=self.count(attribute["counts"]))
        return archive.object(name, **keys)

    def count(self, relationship):
        archive = self.archive
        path = archive.object("NSKeyPathSpecifierExpression", NSExpressionType=10, NSKeyPath=archive.text(relationship))
        key = archive.object(
            "NSKeyPathExpression", NSExpressionType=3, NSSelectorName=archive.text("valueForKey:"),
            NSOperand=archive.object("NSSelfExpression", NSExpressionType=1), NSArguments=archive.list([path]))
        return archive.object(
            "NSFunctionExpression", NSExpressionType=4, NSSelectorName=archive.text("count:"), NSArguments=archive.list([key], "NSArray"))

    def archived_relationship(self, relationship, entity):
        keys = self.common(relationship, entity)
        inverse = relationship.get("inverse")
        keys.update(
            NSDestinationEntity=self.ids[relationship["to"]], _NSDestinationEntityName=self.archive.text(relationship["to"]),
            _NSInverseRelationshipName=self.archive.text(inverse), NSInverseRelationship=UID(0), NSDeleteRule=1,
            NSMaxCount=0 if relationship.get("many") else 1, NSMinCount=0)
        if relationship.get("ordered"):
            keys["NSIsOrdered"] = True
        uid = self.archive.object("NSRelationshipDescription", **keys)
        if inverse:
            self.inverses.append((uid, relationship["to"], inverse))
        return uid


class Schema:
    """The statements of a store's tables. A second telling of the rules, which looks at names one after the other."""

    def __init__(self, model):
        self.model, self.statements, self.columns, self.meaning = model, [], {}, []
        for root in model.children(None):
            self.objects(root)
        for name in model.numbers:
            self.pairs(name)
        for name in model.numbers:
            self.indexes(name)
            self.counts(name)

    def members(self, root):
        return [name for name in self.model.numbers if self.model.root(name) == root]

    def leaves(self, attribute, path=""):
        path += "." + attribute["name"]
        if attribute.get("transient"):
            return
        if "elements" not in attribute:
            yield attribute, path
        for element in attribute.get("elements", []):
            yield from self.leaves(element, path)

    def mean(self, table, column, words):
        self.meaning.append("%s.%s = %s" % (table, column, words))

    def objects(self, root):
        model, taken, columns, table = self.model, set(), [], "Z" + root.upper()
        for column, words in (("Z_PK", "the key"), ("Z_ENT", "the entity's number"), ("Z_OPT", "the count of saves")):
            self.mean(table, column, words)
        for name in self.members(root):
            entity = model.entities[name]
            for attribute in sorted(entity.get("attributes", []), key=lambda a: a["name"]):
                for leaf, path in self.leaves(attribute):
                    base = column = "Z" + leaf["name"].upper()
                    count = 0
                    while column in taken:
                        count += 1
                        column = base + str(count)
                    taken.add(column)
                    columns.append((column, TYPES[leaf["type"]][0]))
                    self.mean(table, column, name + path)
                    if leaf is attribute:
                        self.columns[name, attribute["name"]] = column
            for relationship in entity.get("relationships", []):
                columns += self.to_one(name, relationship)
        for owner, entity in model.entities.items():
            for relationship in entity.get("relationships", []):
                if relationship.get("many") and not relationship.get("inverse") and model.root(relationship["to"]) == root:
                    columns.append(("Z%d%s" % (model.numbers[owner], relationship["name"].upper()), "INTEGER"))
                    self.mean(table, columns[-1][0], "the owner in %s.%s" % (owner, relationship["name"]))
        body = "".join(", %s %s" % column for column in columns)
        self.statements.append("CREATE TABLE %s ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER%s )" % (table, body))
        if len(self.members(root)) > 1:
            self.statements.append("CREATE INDEX %s_Z_ENT_INDEX ON %s (Z_ENT)" % (table, table))

    def to_one(self, entity, relationship):
        if relationship.get("many") or relationship.get("transient"):
            return
        model, name = self.model, relationship["name"].upper()
        table, words = "Z" + model.root(entity).upper(), "%s.%s" % (entity, relationship["name"])
        self.columns[entity, relationship["name"]] = "Z" + name
        self.mean(table, "Z" + name, words)
        yield "Z" + name, "INTEGER"
        if model.children(relationship["to"]):
            column = "Z%d_%s" % (model.numbers[relationship["to"]], name)
            self.mean(table, column, "the entity of " + words)
            yield column, "INTEGER"
        if relationship.get("inverse"):
            inverse = model.relationship(relationship["to"], relationship["inverse"])[1]
            if inverse.get("many") and inverse.get("ordered"):
                self.mean(table, "Z_FOK_" + name, "the order of " + words)
                yield "Z_FOK_" + name, "INTEGER"

    def pairs(self, name):
        model = self.model
        for relationship in model.entities[name].get("relationships", []):
            if not relationship.get("many") or not relationship.get("inverse") or relationship.get("transient"):
                continue
            owner, inverse = model.relationship(relationship["to"], relationship["inverse"])
            mine, other = (model.numbers[name], relationship["name"]), (model.numbers[owner["name"]], inverse["name"])
            if not inverse.get("many") or mine > other:
                continue
            table = "Z_%d%s" % (mine[0], relationship["name"].upper())
            columns = [
                "Z_%d%s" % (model.numbers[inverse["to"]], inverse["name"].upper() + inverse.get("digits", "")),
                "Z_%d%s" % (model.numbers[relationship["to"]], relationship["name"].upper() + relationship.get("digits", ""))]
            keys = [("Z_FOK_" + c[2:]) for c, r in zip(columns, (inverse, relationship)) if r.get("ordered")]
            sides = ["%s.%s" % (owner["name"], inverse["name"]), "%s.%s" % (name, relationship["name"])]
            for column, side, r in zip(columns, sides, (inverse, relationship)):
                self.mean(table, column, side)
                if r.get("ordered"):
                    self.mean(table, "Z_FOK_" + column[2:], "the order of " + side)
            body = ", ".join("%s INTEGER" % c for c in columns + keys)
            self.statements.append("CREATE TABLE %s ( %s, PRIMARY KEY (%s) )" % (table, body, ", ".join(columns)))
            self.statements.append(
                "CREATE INDEX %s_%s_INDEX ON %s (%s, %s)" % (table, columns[1], table, columns[1], columns[0]))

    def column(self, entity, name):
        return next(self.columns[owner["name"], name] for owner in self.model.line(entity) if (owner["name"], name) in self.columns)

    def indexes(self, name):
        entity, table = self.model.entities[name], "Z" + self.model.root(name).upper()
        for relationship in entity.get("relationships", []):
            if (name, relationship["name"]) in self.columns:
                column = self.columns[name, relationship["name"]]
                self.statements.append("CREATE INDEX %s_%s_INDEX ON %s (%s)" % (table, column, table, column))
        for names in entity.get("unique", []):
            self.index("UNIQUE INDEX", "Z_%s_UNIQUE_%s" % (name, "_".join(names)), table, name, names)
        for index in entity.get("indexes", []):
            self.index("INDEX", "Z_%s_%s" % (name, index["name"]), table, name, index["properties"])

    def index(self, kind, index, table, entity, names):
        columns = ", ".join(self.column(entity, name) + " COLLATE BINARY ASC" for name in names)
        self.statements.append("CREATE %s %s ON %s (%s)" % (kind, index, table, columns))

    def counts(self, name):
        for attribute in self.model.entities[name].get("attributes", []):
            if "counts" in attribute:
                self.count(name, attribute["name"], self.model.relationship(name, attribute["counts"])[1])

    def count(self, entity, attribute, counted):
        table, other = "Z" + self.model.root(entity).upper(), "Z" + self.model.root(counted["to"]).upper()
        column, target = self.column(entity, attribute), self.column(counted["to"], counted["inverse"])

        def tell(what, row):
            return "SELECT NSCoreDataDATrigger%sAffectedObjectValue('%s', Z_ENT, Z_PK, '%s', %s) FROM %s WHERE Z_PK = %s;" % (
                what, table, attribute, column, table, row)

        for event, on, row, value in (
            ("INSERT", "INSERT", "NEW." + target, "IFNULL(%s, 0) + 1" % column),
            ("UPDATE_INCREMENT", "UPDATE OF " + target, "NEW." + target, column + " + 1"),
            ("UPDATE_DECREMENT", "UPDATE OF " + target, "OLD." + target, column + " - 1"),
            ("DELETE", "DELETE", "OLD." + target, column + " - 1")):
            self.statements.append(
                "CREATE TRIGGER Z_DA_%s_%s_%s_PARAMETER_%s AFTER %s ON %s FOR EACH ROW WHEN (%s NOT NULL) BEGIN UPDATE %s SET %s = %s"
                " WHERE Z_PK = %s; %s END" % (
                    other, entity, attribute, event, on, other, row, table, column, value, row, tell("Updated", row)))
        self.statements.append(
            "CREATE TRIGGER Z_DA_%s_%s_%s_SOURCE_INSERT AFTER INSERT ON %s FOR EACH ROW BEGIN UPDATE %s SET %s = (SELECT"
            " IFNULL(COUNT(%s), 0) FROM %s WHERE %s = NEW.Z_PK) WHERE Z_PK = NEW.Z_PK; %s END" % (
                table, entity, attribute, table, table, column, target, other, target, tell("InsertUpdated", "NEW.Z_PK")))


HISTORY = """
CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER,
  ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB );
CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR );
CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR );
INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 0), (16002, 'TRANSACTION', 0, 0), (16003, 'TRANSACTIONSTRING', 0, 0);
"""


def metadata(model, description):
    hashes = {name: hashlib.sha256(name.encode()).digest() for name in sorted(model.entities)}
    plist = {
        "NSStoreType": "SQLite", "NSStoreModelVersionHashes": hashes, "NSPersistenceFrameworkVersion": 1523,
        "NSStoreModelVersionHashesVersion": 3, "NSStoreModelVersionIdentifiers": ["1"], "_NSAutoVacuumLevel": "2"}
    if description.get("checksums", True):
        named = b"".join(name.encode() + hash for name, hash in hashes.items())
        plist["NSStoreModelVersionHashesDigest"] = base64.b64encode(hashlib.sha512(named).digest()).decode()
        plist["NSStoreModelVersionChecksumKey"] = base64.b64encode(hashlib.sha256(b"".join(hashes.values())).digest()).decode()
    plist.update(description.get("metadata", {}))
    return plistlib.dumps(plist, fmt=plistlib.FMT_BINARY)


def make(path, description):
    if os.path.exists(path):
        os.remove(path)
    model = Model(description)
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    content = compressor.compress(model.archived()) + compressor.flush()
    database = sqlite3.connect(path)
    database.executescript("PRAGMA auto_vacuum = 2; PRAGMA page_size = 4096;")
    schema = Schema(model)
    for statement in schema.statements:
        database.execute(statement)
    with open(path + ".columns", "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in sorted(schema.meaning))
    database.executescript(
        "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);"
        "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);"
        "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);")
    for name, number in model.numbers.items():
        parent = model.entities[name].get("parent")
        database.execute("INSERT INTO Z_PRIMARYKEY VALUES (?, ?, ?, 0)", (number, name, model.numbers[parent] if parent else 0))
    if description.get("history"):
        database.executescript(HISTORY)
    database.execute(
        "INSERT INTO Z_METADATA VALUES (1, '6B6F1C3A-0000-4000-8000-000000000001', ?)", (metadata(model, description),))
    database.execute("INSERT INTO Z_MODELCACHE VALUES (?)", (content,))
    database.commit()
    database.close()


with open(sys.argv[2], encoding="utf-8") as file:
    make(sys.argv[1], json.load(file))
