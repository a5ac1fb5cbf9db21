"""A client that openapi-python-client made, against a running service."""

import json
import sys

from gridkeep_client import Client
from gridkeep_client.api.entries import delete_entries, put_entries, read_entries
from gridkeep_client.api.queries import post_adhoc_query, run_adhoc_query
from gridkeep_client.api.regions import count_region, list_regions, read_region
from gridkeep_client.models import AdhocQuery

client = Client(base_url=sys.argv[1])

names = [region.name for region in list_regions.sync(client=client).regions]
assert "items" in names, names
count = count_region.sync_detailed("items", client=client)
assert count.status_code == 200 and int(count.headers["Resource-Count"]) > 10, count

for key in ["plain", "a,b", "a/b"]:
    written = put_entries.sync_detailed("items", key, client=client, body={"name": key})
    assert written.status_code == 200, written
read = read_region.sync("items", client=client, keys=["a,b", "plain", "a/b"])
assert [value["name"] for value in read["items"]] == ["a,b", "plain", "a/b"], read
one = read_entries.sync_detailed("items", "a,b", client=client)
assert json.loads(one.content) == {"items": [{"name": "a,b"}]}, one

text = "SELECT i.name FROM /items i WHERE i.name = $1"
rows = post_adhoc_query.sync(client=client, body=AdhocQuery(oql=text, params=["a,b"]))
assert rows == ["a,b"], rows
assert run_adhoc_query.sync(client=client, q=text.replace("$1", "'plain'")) == ["plain"]

missing = read_region.sync_detailed("no-such-region", client=client)
assert missing.status_code == 404 and missing.parsed.code == "grid/region-not-found", missing
delete_entries.sync_detailed("items", "a,b", client=client)
print("read, wrote, queried, saw errors")
