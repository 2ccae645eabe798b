import { describe, expect, it } from "vitest";
import { createWorld, listing, settle, type World } from "./scripted-world.ts";

const context = { principal: "ada" };

// Lists as ada alone, while somebody listens; `heard` has the servers that something changed on.
async function listAsAda(world: World) {
  const heard: string[] = [];
  world.resources.onResourcesChanged(({ serverId }) => void heard.push(serverId));
  const { resources, failures } = await world.resources.list({ context });
  return { heard, uris: resources.map(({ uri }) => uri), failed: failures.map(({ serverId }) => serverId) };
}

async function passQuietTime({ clock }: World): Promise<void> {
  clock.advance(10_000);
  await settle();
}

const listsOf = ({ server }: World, id: string): number =>
  server(id).asked.filter(({ method }) => method === "resources/list").length;

describe("a list that is its caller's alone", () => {
  it("is no part of the snapshot, and nothing is read beside it", async () => {
    const world = createWorld();
    world.server("a").answer = listing("note://1");
    const { heard, uris } = await listAsAda(world);
    await passQuietTime(world);
    expect({ uris, heard, asked: listsOf(world, "a") }).toEqual({ uris: ["note://1"], heard: [], asked: 1 });
    expect(world.resources.snapshot()).toMatchObject({ entries: [], servers: [] });
  });

  it("is followed all the same: who listens hears that its server has changed it", async () => {
    const world = createWorld();
    world.server("a").answer = listing("note://1");
    const { heard } = await listAsAda(world);
    world.server("a").answer = listing("note://1", "note://2");
    world.server("a").hooks().onResourcesChanged?.();
    await passQuietTime(world);
    expect(heard).toEqual(["a"]);
    expect(world.resources.snapshot().entries.map(({ uri }) => uri)).toEqual(["note://1", "note://2"]);
  });

  it("tells who listens when a server that failed in it is there", async () => {
    const world = createWorld();
    world.server("a").answer = () => {
      throw new Error("not yet");
    };
    const { heard, failed } = await listAsAda(world);
    expect({ heard, failed }).toEqual({ heard: [], failed: ["a"] });
    world.server("a").answer = listing("note://1");
    await passQuietTime(world);
    expect(heard).toEqual(["a"]);
  });
});
