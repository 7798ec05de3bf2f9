"""The tests' object store: moto, which checks signatures, behind a check of the signed content.

    store.py BUCKET

Prints one line of JSON (port, identity, secret) and serves until its input ends. A line of input empties the bucket, and its words
say what kind the bucket is from now on: everybody may read the files of a "public" one; a "careless" one takes each put, whatever its
conditions. What is posted to /faults becomes of the requests of
these numbers ("2,3"), counted from the next one as 0, or of "all": a status and its code in place of it ("503:SlowDown before 2") or after it
was done ("after"); in place of a status "drop" ends the connection, "cut" sends half an answer, "hang" sends none, "drip"
sends it byte by byte, and "hold" sends it once another fault is posted. Whoever reads a public bucket without a signature meets no fault. The answer has the requests since the
last fault was posted, and whether that one has been met. /commits lists the accepted puts of timestamps.
"""

import hashlib
import io
import json
import os
import socket
import sys
import threading
import time

# So many calls need no signature: those below that make the user and the bucket.
os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = "4"
# The least bytes of each part of an upload but the last.
os.environ["S3_UPLOAD_PART_MIN_SIZE"] = "1024"

import boto3
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server


class Checked:
    """Rejects a body whose hash is not the signed one, like real stores."""

    def __init__(self, store):
        self.store, self.fault, self.requests, self.is_met = store, None, 0, False
        self.reader, self.careless = None, None
        self.one_by_one, self.commits = threading.Lock(), []

    def __call__(self, environ, start):
        length = int(environ.get("CONTENT_LENGTH") or 0)
        body = environ["wsgi.input"].read(length)
        if environ["PATH_INFO"] == "/faults":
            return self.arm(body.decode(), start)
        if environ["PATH_INFO"] == "/commits":
            return answer(start, "200 OK", json.dumps(self.commits).encode())
        if self.reader and "HTTP_AUTHORIZATION" not in environ and environ["REQUEST_METHOD"] in ("GET", "HEAD"):
            self.sign(environ, self.reader)
            return self.store(environ, start)
        if self.careless and environ.pop("HTTP_IF_MATCH", environ.pop("HTTP_IF_NONE_MATCH", None)):
            self.sign(environ, self.careless, body)
        number, self.requests = self.requests, self.requests + 1
        signed = environ.get("HTTP_X_AMZ_CONTENT_SHA256")
        if signed is not None and len(signed) == 64 and signed != hashlib.sha256(body).hexdigest():
            return answer(start, "400 Bad Request", b"<Error><Code>XAmzContentSHA256Mismatch</Code></Error>")
        environ["wsgi.input"] = io.BytesIO(body)
        if self.fault and {str(number), "all"} & set(self.fault[2].split(",")):
            return self.fail(environ, start, body)
        return self.serve(environ, start, body)

    def serve(self, environ, start, body):
        """Serves one request at a time, because moto checks a condition and stores the file in two steps."""
        def begin(status, *rest):
            if environ["REQUEST_METHOD"] == "PUT" and path.endswith("/timestamp.json") and status.startswith("200"):
                self.commits.append({"path": path, "text": body.decode()})
            return start(status, *rest)

        path = environ["PATH_INFO"]
        with self.one_by_one:
            return self.store(environ, begin)

    def arm(self, text, start):
        state = json.dumps({"requests": self.requests, "isMet": self.is_met}).encode()
        if text:
            self.fault, self.requests, self.is_met = text.split(), 0, False
        return answer(start, "200 OK", state)

    def fail(self, environ, start, body):
        fault = self.fault
        kind, moment, _ = fault
        heads = []
        done = b"".join(self.serve(environ, lambda *head: heads.append(head), body)) if moment == "after" else b""
        self.is_met = True
        if kind in ("drop", "hang"):
            time.sleep(60 if kind == "hang" else 0)
            environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
            raise ConnectionResetError
        if kind == "hold":
            while self.fault is fault:
                time.sleep(0.01)
            return self.serve(environ, start, body)
        if kind == "cut":
            start(heads[0][0] if heads else "200 OK", [("Content-Length", str(len(done) + 10))])
            return [done[: len(done) // 2]]
        if kind == "drip":
            start("200 OK", [("Content-Length", "100000")])
            return drops()
        status, _, code = kind.partition(":")
        return answer(start, status + " Fault", f"<Error><Code>{code or 'SlowDown'}</Code></Error>".encode())

    def sign(self, environ, credentials, body=b""):
        """Signs changed requests, and requests without a signature, because moto has no public buckets."""
        address = f"http://{environ['HTTP_HOST']}{environ['PATH_INFO']}"
        request = AWSRequest(environ["REQUEST_METHOD"], address, data=body)
        S3SigV4Auth(credentials, "s3", "us-east-1").add_auth(request)
        for name, value in request.headers.items():
            environ["HTTP_" + name.upper().replace("-", "_")] = value


def answer(start, status, body):
    start(status, [("Content-Length", str(len(body))), ("Content-Type", "application/xml")])
    return [body]


def drops():
    while True:
        time.sleep(0.05)
        yield b"."


class Quiet(WSGIRequestHandler):
    def log(self, *_):
        pass


store = Checked(DomainDispatcherApplication(create_backend_app))
server = make_server("127.0.0.1", 0, store, threaded=True, request_handler=Quiet)
threading.Thread(target=server.serve_forever, daemon=True).start()
place = dict(
    endpoint_url=f"http://127.0.0.1:{server.server_port}", region_name="us-east-1",
    aws_access_key_id="first", aws_secret_access_key="first",
)
iam = boto3.client("iam", **place)
iam.create_user(UserName="publisher")
policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
iam.put_user_policy(UserName="publisher", PolicyName="bucket", PolicyDocument=json.dumps(policy))
key = iam.create_access_key(UserName="publisher")["AccessKey"]
boto3.client("s3", **place).create_bucket(Bucket=sys.argv[1])
owner = Credentials(key["AccessKeyId"], key["SecretAccessKey"])
print(
    json.dumps({"port": server.server_port, "identity": key["AccessKeyId"], "secret": key["SecretAccessKey"]}),
    flush=True,
)
place.update(aws_access_key_id=owner.access_key, aws_secret_access_key=owner.secret_key)
s3 = boto3.client("s3", **place)
for number, line in enumerate(sys.stdin, 1):
    store.fault = None
    store.reader = owner if "public" in line else None
    store.careless = owner if "careless" in line else None
    found = [{"Key": file["Key"]} for file in s3.list_objects_v2(Bucket=sys.argv[1]).get("Contents", [])]
    if found:
        s3.delete_objects(Bucket=sys.argv[1], Delete={"Objects": found})
    store.requests, store.is_met, store.commits = 0, False, []
    print(f"empty {number}", flush=True)
