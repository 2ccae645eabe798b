import { kitVersion } from "../../engine/kit-version.ts";
import { serveDriver } from "../serve-driver.ts";
import { createReferenceHost, describeHostsideError, referenceFeatures } from "../reference-host.ts";

// Every package of Hostside has the version of this one.
await serveDriver({
  hello: { name: "hostside", version: kitVersion(), features: referenceFeatures },
  host: createReferenceHost(),
  describeError: describeHostsideError,
});
