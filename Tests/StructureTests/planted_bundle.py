#!/usr/bin/env python3
"""Replaces a test bundle; SEEDBANK_PLANT sets the behaviour of its second test."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

FILE = pathlib.Path(__file__)
TESTS = ["Planted.Suite/first()", "Planted.Suite/second()", "Planted.Suite/third()"]
options = dict(zip(sys.argv[1:], sys.argv[2:]))
events = open(options["--event-stream-output-path"], "w", buffering=1)
plant = os.environ.get("SEEDBANK_PLANT", "")
FOLDERS = [os.environ.get("TMPDIR", ""), os.environ.get("TESTS_MEMORY", "")]


def write(kind, payload):
    events.write(json.dumps({"version": 0, "kind": kind, "payload": payload}) + "\n")


def event(kind, test, **more):
    write("event", {"kind": kind, "testID": f"{test}/planted.swift:1:1", "messages": [{"text": f"{kind} {test}"}],
                    "instant": {"absolute": time.monotonic()}, **more})


def start(**more):
    with open(os.environ["PLANT_CHILDREN"], "a") as file:
        print(subprocess.Popen(["sleep", "3600"], **more).pid, file=file)


def second():
    if plant == "hangs":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        start()
        time.sleep(3600)
    elif plant == "crashes":
        print("the last words", *FOLDERS, flush=True)
        os.abort()
    elif plant == "leaks":
        start()
    elif plant == "strays":
        start(start_new_session=True)
    elif plant in ("cases", "many"):
        for _ in range(5 if plant == "cases" else 20):
            event("testCaseStarted", TESTS[1])
            time.sleep(0.7)
    elif plant.startswith("fails"):
        event("issueRecorded", TESTS[1], issue={"isKnown": False})
    if plant == "fails and leaks":
        start()
    if plant in ("prints", "fails and prints"):
        print(("x" * 100 + "\n") * 10_000, flush=True)


if "--list-tests" in sys.argv:
    for test in TESTS:
        write("test", {"kind": "function", "id": f"{test}/planted.swift:1:1", "sourceLocation": {"_filePath": str(FILE)}})
    sys.exit()
for folder in FOLDERS:
    pathlib.Path(folder, "left").touch()
for test in TESTS:
    if test == TESTS[2] and plant == "misses":
        continue
    event("testStarted", test)
    if test == TESTS[1]:
        second()
    event("testEnded", test)
    time.sleep(0.03)
if plant == "hangs after its tests":
    time.sleep(3600)
sys.exit(plant.startswith("fails"))
