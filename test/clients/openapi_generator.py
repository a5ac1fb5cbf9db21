"""A client that openapi-generator made for Python, against a running service."""

import sys

import gk
from gk.exceptions import ApiException

api = gk.ApiClient(gk.Configuration(host=sys.argv[1]))
regions, entries, queries = gk.RegionsApi(api), gk.EntriesApi(api), gk.QueriesApi(api)

names = [region.name for region in regions.list_regions().regions]
assert "items" in names, names

count = regions.count_region_with_http_info("items")
assert int(count.headers["Resource-Count"]) > 10, count.headers

for key in ["plain", "a,b", "a/b c"]:
    entries.put_entries("items", key, {"name": key})
entries.put_entries_by_query("items", ["keys", "x,y"], [{"name": "keys"}, {"name": "x,y"}])
keys = ["a,b", "plain", "keys", "a/b c", "x,y"]
read = regions.read_region("items", keys=keys)
assert [value["name"] for value in read["items"]] == keys, read
assert entries.read_entries("items", "a,b") == {"items": [{"name": "a,b"}]}
assert len(regions.read_region("items", limit="2")["items"]) == 2

text = "SELECT i.name FROM /items i WHERE i.name = $1"
assert queries.post_adhoc_query(gk.AdhocQuery(oql=text, params=["a,b"])) == ["a,b"]
queries.create_query(new_query=gk.NewQuery(id="by-name", oql=text))
assert queries.run_named_query("by-name", body=["plain"]) == ["plain"]

for call, status, word in [
    (lambda: entries.read_entries("items", "no-such-key"), 400, "no-such-key"),
    (lambda: regions.read_region("no-such-region"), 404, "grid/region-not-found"),
    (lambda: queries.run_adhoc_query("SELECT"), 500, "oql/syntax-error"),
]:
    try:
        call()
    except ApiException as error:
        assert error.status == status and word in error.body, error
    else:
        raise AssertionError(f"{word} was not seen")

entries.delete_entries("items", "a,b")
queries.delete_query("by-name")
print("read, wrote, queried, saw errors")
