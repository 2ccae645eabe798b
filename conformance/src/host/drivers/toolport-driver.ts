import { kitVersion } from "../../engine/kit-version.ts";
import { serveDriver } from "../serve-driver.ts";
import { createToolportHost, describeToolportError, toolportFeatures } from "../toolport-host.ts";

// Every package of Toolport has the version of this one.
await serveDriver({
  hello: { name: "toolport", version: kitVersion(), features: toolportFeatures },
  host: createToolportHost(),
  describeError: describeToolportError,
});
