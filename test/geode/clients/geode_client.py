# A client of Geode's developer REST API, written from its documentation with nothing but the
# standard library. Prints "ok" when everything was as documented.

import json
import sys
import urllib.error
import urllib.parse
import urllib.request

base = sys.argv[1]


def call(method, path, body=None, content_type="application/json"):
    data = None if body is None else (body if isinstance(body, str) else json.dumps(body)).encode()
    request = urllib.request.Request(base + path, data=data, method=method)
    request.add_header("Accept", "application/json")
    if data is not None:
        request.add_header("Content-Type", content_type)
    try:
        with urllib.request.urlopen(request) as answer:
            text = answer.read().decode()
            return answer.status, dict(answer.headers), json.loads(text) if text else None
    except urllib.error.HTTPError as error:
        text = error.read().decode()
        return error.code, dict(error.headers), json.loads(text) if text else None


def expect(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}: {got!r}, but {wanted!r} was expected")


def quote_twice(text):
    return urllib.parse.quote(urllib.parse.quote(text, safe=""), safe="")


status, _, regions = call("GET", "")
expect("list of regions", [region["name"] for region in regions["regions"]], ["shop"])

# Create
status, headers, _ = call("POST", "/shop?key=lamp", {"@type": "Item", "name": "Lamp", "price": 20.5})
expect("create", status, 201)
expect("location", headers["Location"], base + "/shop/lamp")
status, _, existing = call("POST", "/shop?key=lamp", {"name": "Other"})
expect("create again", (status, existing["name"]), (409, "Lamp"))
status, headers, _ = call("POST", "/shop", {"name": "Anonymous"})
expect("create without key", (status, headers["Location"]), (201, base + "/shop/1"))
status, _, _ = call("PUT", "/shop/desk,chair", [{"name": "Desk", "price": 99}, {"name": "Chair", "price": 45}])
expect("put several", status, 200)

# Read
status, _, lamp = call("GET", "/shop/lamp")
expect("read", (status, lamp), (200, {"@type": "Item", "name": "Lamp", "price": 20.5}))
status, _, both = call("GET", "/shop/desk,chair")
expect("read several", [item["name"] for item in both["shop"]], ["Desk", "Chair"])
status, _, missing = call("GET", "/shop/none")
expect("read missing", (status, missing), (404, {"cause": "Key (none) does not exist for region (shop) in cache!"}))
status, _, listed = call("GET", "/shop/keys")
expect("keys", sorted(listed["keys"]), ["1", "chair", "desk", "lamp"])
status, headers, _ = call("HEAD", "/shop")
expect("count", headers["Resource-Count"], "4")
status, _, some = call("GET", "/shop?limit=2")
expect("read some", len(some["shop"]), 2)

# Update
expect("replace", call("PUT", "/shop/desk?op=REPLACE", {"name": "Desk", "price": 89})[0], 200)
expect("replace missing", call("PUT", "/shop/none?op=REPLACE", {})[0], 404)
swap = {"@old": {"name": "Chair", "price": 45}, "@new": {"name": "Chair", "price": 40}}
expect("compare and set", call("PUT", "/shop/chair?op=CAS", swap)[0], 200)
status, _, current = call("PUT", "/shop/chair?op=CAS", swap)
expect("compare and set again", (status, current), (409, {"name": "Chair", "price": 40}))

# Named queries
oql = "SELECT s.name FROM /shop s WHERE s.price > $1 ORDER BY s.name"
expect("new query", call("POST", "/queries?id=dearer&q=" + quote_twice(oql))[0], 201)
expect("text in the body", call("POST", "/queries?id=all", "SELECT * FROM /shop", "text/plain")[0], 201)
status, _, queries = call("GET", "/queries")
expect("list of queries", sorted(query["id"] for query in queries["queries"]), ["all", "dearer"])
status, _, names = call("POST", "/queries/dearer", [{"@type": "double", "@value": 30}])
expect("run", (status, names), (200, ["Chair", "Desk"]))
expect("update query", call("PUT", "/queries/dearer?q=" + quote_twice(oql + " LIMIT 1"))[0], 200)
expect("run updated", call("POST", "/queries/dearer", [{"@type": "int", "@value": 30}])[2], ["Chair"])
expect("delete query", call("DELETE", "/queries/all")[0], 200)
expect("delete query again", call("DELETE", "/queries/all")[0], 404)

# Ad-hoc queries
status, _, found = call("GET", "/queries/adhoc?q=" + quote_twice("SELECT s.name, s.price FROM /shop s WHERE s.name LIKE 'L%'"))
expect("ad hoc", (status, found), (200, [{"name": "Lamp", "price": 20.5}]))
status, _, failed = call("GET", "/queries/adhoc?q=" + quote_twice("SELECT * FROM /none"))
expect("ad hoc, no region", (status, failed), (500, {"message": "Name in the query cannot be resolved!"}))

# Functions
expect("functions", call("GET", "/functions")[2], {"functions": []})
expect("run a function", call("POST", "/functions/sum", [])[0], 404)

# Delete
expect("delete", call("DELETE", "/shop/lamp")[0], 200)
expect("delete missing", call("DELETE", "/shop/lamp")[0], 404)
expect("delete several", call("DELETE", "/shop?keys=desk,chair")[0], 200)
expect("delete all", call("DELETE", "/shop")[0], 200)
expect("empty", call("GET", "/shop")[2], {"shop": []})
expect("ping", call("GET", "/ping")[0], 200)
print("ok")
