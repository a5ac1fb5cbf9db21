import gk.ApiClient;
import gk.ApiException;
import gk.api.EntriesApi;
import gk.api.QueriesApi;
import gk.api.RegionsApi;
import gk.model.AdhocQuery;
import java.util.List;
import java.util.Map;

/** A client that openapi-generator made for Java, against a running service. */
public class TryClient {
  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(arguments[0]);
    RegionsApi regions = new RegionsApi(client);
    EntriesApi entries = new EntriesApi(client);
    QueriesApi queries = new QueriesApi(client);

    check(regions.listRegions(RegionsApi.APIListRegionsRequest.newBuilder().build()).getRegions().size() > 2, "regions");
    var counted =
        regions.countRegionWithHttpInfo(
            RegionsApi.APICountRegionRequest.newBuilder().region("items").build());
    String count = counted.getHeaders().get("resource-count").get(0);
    check(Integer.parseInt(count) > 10, "count " + count);

    for (String key : List.of("plain", "a,b", "a/b c")) {
      entries.putEntries(
          EntriesApi.APIPutEntriesRequest.newBuilder()
              .region("items")
              .keys(key)
              .body(Map.of("name", key))
              .build());
    }
    Map<String, List<Object>> read =
        regions.readRegion(
            RegionsApi.APIReadRegionRequest.newBuilder()
                .region("items")
                .keys(List.of("a,b", "plain", "a/b c"))
                .build());
    check(read.get("items").toString().equals("[{name=a,b}, {name=plain}, {name=a/b c}]"), read);
    Map<String, List<Object>> one =
        entries.readEntries(
            EntriesApi.APIReadEntriesRequest.newBuilder().region("items").keys("a,b").build());
    check(one.get("items").toString().equals("[{name=a,b}]"), one);

    String text = "SELECT i.name FROM /items i WHERE i.name = $1";
    AdhocQuery query = new AdhocQuery().oql(text).params(List.of("a,b"));
    Object rows =
        queries.postAdhocQuery(
            QueriesApi.APIPostAdhocQueryRequest.newBuilder().adhocQuery(query).build());
    check(rows.equals(List.of("a,b")), rows);
    try {
      regions.readRegion(
          RegionsApi.APIReadRegionRequest.newBuilder().region("no-such-region").build());
      check(false, "an unknown region is an error");
    } catch (ApiException error) {
      check(error.getCode() == 404, error.getCode());
      check(error.getResponseBody().contains("grid/region-not-found"), error);
    }
    entries.deleteEntries(
        EntriesApi.APIDeleteEntriesRequest.newBuilder().region("items").keys("a,b").build());
    System.out.println("read, wrote, queried, saw errors");
  }

  private static void check(boolean isTrue, Object shown) {
    if (!isTrue) throw new AssertionError(shown);
  }
}
