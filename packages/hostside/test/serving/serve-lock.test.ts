import { expect, it } from "vitest";
import { runPiped } from "../terminal/run-piped.ts";
import { createWorkFolder } from "../terminal/work-folder.ts";
import { startServed } from "./served-process.ts";
import { smallEntry, smallServer } from "./small-server.ts";

it("says at the start which tools are not those of the lock file, and what accepts them", async () => {
  await using work = await createWorkFolder();
  const config = ["--config", "hostside.json"];
  const write = (...tools: readonly string[]): Promise<unknown> =>
    work.write({ "small.mjs": smallServer, "hostside.json": { servers: { notes: smallEntry(...tools) } } });
  await write("get_a");
  expect(await runPiped(work, [...config, "lock", "l.json"])).toMatchObject({ exitCode: 0 });
  await write("get_a", "add_note");
  await using served = await startServed(work, [...config, "serve", "--expose", "all", "--lock", "l.json"]);
  await served.untilSaid(
    "note: held back, because the lock file has not what notes offers: add_note. See hostside diff l.json --config hostside.json --server notes; accept with hostside lock l.json --config hostside.json --server notes\n",
  );
  const answer = await served.client.callTool({ name: "mcp_notes_add_note", arguments: {} });
  expect(JSON.stringify(answer.content)).toContain("held back until it is approved");
});

it("names in a refusal a command that runs as it is, and performs the call", async () => {
  await using work = await createWorkFolder();
  await work.write({ "small.mjs": smallServer, "hostside.json": { servers: { notes: smallEntry("add_note") } } });
  const args = ["--config", "hostside.json", "serve", "--expose", "all", "--require-approval"];
  await using served = await startServed(work, args);
  await served.untilTools((names) => names.length === 1);
  const answer = await served.client.callTool({ name: "mcp_notes_add_note", arguments: { text: "a b" } });
  expect(JSON.stringify(answer.content)).toContain("the tool may change something");
  const said = JSON.parse(JSON.stringify(answer.content)) as readonly { readonly text: string }[];
  expect(said.map(({ text }) => text).join("")).toContain(
    `which also performs the call: hostside call notes/add_note --args '{"text":"a b"}'`,
  );
});
