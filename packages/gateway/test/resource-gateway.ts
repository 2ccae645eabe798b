import { createToolbox } from "@hostside/discovery";
import { createGateway, type Gateway } from "@hostside/gateway";
import type { World } from "../../provider/test/resources/scripted-world.ts";

/**
 * A gateway that serves everything of some scripted servers, their resources and prompts as well.
 */
export function createResourceGateway({
  provider,
  resources,
  clock,
}: Pick<World, "provider" | "resources" | "clock">): Gateway {
  const toolbox = createToolbox({ providers: [provider], clock });
  return createGateway({
    name: "test",
    version: "1",
    expose: "all",
    tools: "all",
    clock,
    open: ({ view }) => ({ tools: toolbox.view(view), resources }),
  });
}
