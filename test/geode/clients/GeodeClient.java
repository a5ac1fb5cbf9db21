// A client of Geode's developer REST API, written from its documentation with nothing but the JDK.
// Prints "ok" when everything was as documented.

import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;

public class GeodeClient {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static String base;

  public static void main(String[] args) throws Exception {
    base = args[0];
    entries();
    queries();
    removal();
    System.out.println("ok");
  }

  private static void entries() throws Exception {
    HttpResponse<String> created = call("POST", "/shop?key=lamp", "{\"name\":\"Lamp\",\"price\":20.0}");
    expect("create", created.statusCode(), 201);
    expect("location", created.headers().firstValue("Location").orElse(""), base + "/shop/lamp");
    HttpResponse<String> again = call("POST", "/shop?key=lamp", "{}");
    expect("create again", again.statusCode() + compact(again.body()), "409{\"name\":\"Lamp\",\"price\":20.0}");
    expect("put", call("PUT", "/shop/desk", "{\"name\":\"Desk\",\"price\":99}").statusCode(), 200);
    expect("put several", call("PUT", "/shop?keys=a,b", "[{\"n\":1},{\"n\":2}]").statusCode(), 200);
    expect("read", call("GET", "/shop/lamp", null).body(), "{\n  \"name\" : \"Lamp\",\n  \"price\" : 20.0\n}");
    expect("read several", compact(call("GET", "/shop/b,a", null).body()), "{\"shop\":[{\"n\":2},{\"n\":1}]}");
    expect("read missing", call("GET", "/shop/zz", null).statusCode(), 404);
    expect("several missing", call("GET", "/shop/a,zz", null).body(),
        "{\"cause\":\"Requested keys (zz) do not exist in region (shop)\"}");
    expect("missing ignored", compact(call("GET", "/shop/a,zz?ignoreMissingKey=true", null).body()),
        "{\"shop\":[{\"n\":1},null]}");
    expect("replace", call("PUT", "/shop/desk?op=REPLACE", "{\"name\":\"Desk\",\"price\":89}").statusCode(), 200);
    expect("replace missing", call("PUT", "/shop/zz?op=REPLACE", "{}").body(),
        "{\"cause\":\"No resource at (" + base + "/shop/zz) exists!\"}");
    expect("compare and set", call("PUT", "/shop/a?op=CAS", "{\"@old\":{\"n\":1},\"@new\":{\"n\":5}}").statusCode(), 200);
    HttpResponse<String> differs = call("PUT", "/shop/a?op=CAS", "{\"@old\":{\"n\":1},\"@new\":{\"n\":6}}");
    expect("compare and set again", differs.statusCode() + differs.body(), "409{\"n\":5}");
    expect("count", call("HEAD", "/shop", null).headers().firstValue("Resource-Count").orElse(""), "4");
  }

  private static void queries() throws Exception {
    String oql = "SELECT s.name FROM /shop s WHERE s.price > $1 ORDER BY s.name";
    expect("new query", call("POST", "/queries?id=dearer&q=" + encode(encode(oql)), "").statusCode(), 201);
    HttpResponse<String> taken = call("POST", "/queries?id=dearer&q=x", "");
    expect("new query again", taken.statusCode(), 409);
    expect("run", call("POST", "/queries/dearer", "[{\"@type\":\"int\",\"@value\":10}]").body(), "[ \"Desk\", \"Lamp\" ]");
    expect("run without body", call("POST", "/queries/dearer", "").statusCode(), 500);
    expect("update", call("PUT", "/queries/dearer", "SELECT COUNT(*) FROM /shop").statusCode(), 200);
    expect("run updated", call("POST", "/queries/dearer", "{}").body(), "[ 4 ]");
    expect("ad hoc", compact(call("GET", "/queries/adhoc?q=" + encode(encode("SELECT s.n + 1, s.n FROM /shop s WHERE s.n = 5")), null).body()),
        "[{\"field$0\":6,\"n\":5}]");
    expect("ad hoc, wrong", call("GET", "/queries/adhoc?q=" + encode("SELEC nope"), null).body(),
        "{\"cause\":\"Syntax error in query: unexpected token: nope\"}");
    expect("delete query", call("DELETE", "/queries/dearer", null).statusCode(), 200);
    expect("run deleted", call("POST", "/queries/dearer", "[]").body(), "{\"cause\":\"No Query with ID (dearer) was found!\"}");
  }

  private static void removal() throws Exception {
    expect("delete", call("DELETE", "/shop/a,b", null).statusCode(), 200);
    expect("delete missing", call("DELETE", "/shop/a", null).body(),
        "{\"cause\":\"Key (a) does not exist for region (shop) in cache!\"}");
    expect("clear", call("DELETE", "/shop", null).statusCode(), 200);
    expect("empty", compact(call("GET", "/shop/keys", null).body()), "{\"keys\":[]}");
    expect("no region", call("GET", "/none", null).body(),
        "{\"cause\":\"The Region identified by name (none) could not be found!\"}");
  }

  private static HttpResponse<String> call(String method, String path, String body) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path))
        .header("Accept", "application/json");
    if (body != null) {
      request.header("Content-Type", "application/json");
    }
    request.method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    return CLIENT.send(request.build(), BodyHandlers.ofString());
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /** Good enough here: no text has a blank. */
  private static String compact(String json) {
    return json.replaceAll("\\s", "");
  }

  private static void expect(String what, Object got, Object wanted) {
    if (!got.equals(wanted)) {
      System.err.println(what + ": " + got + ", but " + wanted + " was expected");
      System.exit(1);
    }
  }
}
