import { expect, it } from "vitest";
import { createWorld } from "../../provider/test/resources/scripted-world.ts";
import { connectSession, isMethod } from "./raw-client.ts";
import { createResourceGateway } from "./resource-gateway.ts";

it("lists resources, templates and prompts of servers that are there, and tells of one that is late", async () => {
  const world = createWorld({ servers: ["a", "slow"] });
  const { server, resources, clock } = world;
  for (const id of ["a", "slow"]) server(id).capabilities = { resources: {}, prompts: {} };
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const answers = (id: string) => () => ({
    resources: [{ uri: `note://${id}`, name: "n" }],
    resourceTemplates: [{ uriTemplate: `${id}://{x}`, name: "n" }],
    prompts: [{ name: "n" }],
  });
  server("a").answer = answers("a");
  server("slow").answer = async () => {
    await held;
    return answers("slow")();
  };
  const gateway = createResourceGateway(world);
  await using client = await connectSession(gateway);
  const kinds = [
    ["resources/list", "resources"],
    ["resources/templates/list", "resourceTemplates"],
    ["prompts/list", "prompts"],
  ] as const;
  const counts = async (): Promise<readonly unknown[]> => {
    const answered = await Promise.all(kinds.map(async ([method]) => client.request(method)));
    return answered.map(({ result }, at) => {
      const entries = (result as Readonly<Record<string, unknown>>)[kinds[at]?.[1] ?? ""];
      return Array.isArray(entries) ? entries.length : entries;
    });
  };
  const first = counts();
  await expect.poll(() => server("slow").asked.length).toBe(3);
  clock.advance(gateway.limits.listWaitMs);
  expect(await first).toEqual([1, 1, 1]);
  expect(await counts()).toEqual([1, 1, 1]);
  release();
  await expect.poll(() => resources.promptSnapshot().entries.length).toBe(2);
  clock.advance(50);
  await client.next(isMethod("notifications/resources/list_changed"));
  await client.next(isMethod("notifications/prompts/list_changed"));
  expect(await counts()).toEqual([2, 2, 2]);
  await gateway.close();
});
