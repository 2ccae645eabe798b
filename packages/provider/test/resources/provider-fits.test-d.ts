import type { McpProvider } from "@hostside/provider";
import type { ResourceProvider } from "../../src/resources/ask-server.ts";
import { expectTypeOf, it } from "vitest";

it("takes the provider of @hostside/provider as it is", () => {
  expectTypeOf<McpProvider>().toExtend<ResourceProvider>();
});
