import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Gateway } from "@hostside/gateway";

/** A way to a gateway over HTTP, without a port, for a user whose token is their name. */
export function createUserTransport(gateway: Gateway, who: string): StreamableHTTPClientTransport {
  const handler = gateway.http({
    auth: { verifyToken: (token) => ({ principal: token }) },
    allowedHosts: ["gateway.example"],
  });
  return new StreamableHTTPClientTransport(new URL("http://gateway.example/mcp"), {
    requestInit: { headers: { Authorization: `Bearer ${who}` } },
    fetch: async (url, init) => {
      const request = new Request(url, init);
      request.headers.set("host", "gateway.example");
      return handler.fetch(request);
    },
  });
}
