import type { McpProvider } from "@toolport/provider";
import type { ResourceProvider } from "@toolport/resources";
import { expectTypeOf, it } from "vitest";

it("takes the provider of @toolport/provider as it is", () => {
  expectTypeOf<McpProvider>().toExtend<ResourceProvider>();
});
