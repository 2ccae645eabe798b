// Hostside, but for one thing: it unpacks an answer before it looks at its size. Runs from what was built, like any host's driver.
import { createConnector } from "@hostside/transports";
import { serveDriver } from "../../dist/host/serve-driver.js";
import { createReferenceHost, describeHostsideError, referenceFeatures } from "../../dist/host/reference-host.js";

async function unpackEverything(url, init) {
  const response = await fetch(url, init);
  if (response.headers.get("content-encoding") === null) return response;
  const { status, statusText } = response;
  const headers = { "content-type": "application/json" };
  return new Response(await response.arrayBuffer(), { status, statusText, headers });
}

await serveDriver({
  hello: { name: "unpacks-everything", version: "0", features: referenceFeatures },
  host: createReferenceHost({ connector: (options) => createConnector({ ...options, fetch: unpackEverything }) }),
  describeError: describeHostsideError,
});
