import type { FaultRule, FaultScript, JsonObject } from "@hostside/fixtures";
import { legacySpec } from "../../server/checks/define-check.ts";
import { scenariosOf, type HostScenario } from "../host-scenario.ts";
import { everywhere, stdioAndHttp } from "../host-venue.ts";
import type { Stage, Stand } from "../stage.ts";
import { must } from "../violation.ts";
import { callWell, describeCall, mustHaveRun, mustLeaveNoProcess, ruleOn } from "./judge-calls.ts";

const changed = { method: "notifications/tools/list_changed" };
const listChanged = legacySpec("server/tools", "List Changed Notification");

/** A tool that a fault server lists. */
export function remoteTool(name: string): JsonObject {
  return { name, description: `Does ${name}.`, inputSchema: { type: "object" } };
}

const failingListing = ruleOn("tools/list", { type: "respond", message: { error: { code: -32_603, message: "no" } } });

async function mustNotOffer(stage: Stage, name: string, otherwise: string): Promise<void> {
  const { tools } = await stage.host.snapshot();
  must(!tools.some(({ remoteName }) => remoteName === name), otherwise);
}

/** Changes of tool lists, listings that fail, and registrations that come and go. */
export const consistentTools: readonly HostScenario[] = scenariosOf("consistent", {
  "list-changed": {
    title: "A server that says its tools changed is listed again",
    source: listChanged,
    legal: ["the new tool is in the snapshot, and can be called, without anybody asking for a refresh"],
    fix: "Act on notifications/tools/list_changed; over HTTP, open the stream on which it comes.",
    over: everywhere,
    async run(stage) {
      const alpha = await stage.start();
      await stage.tool(alpha);
      await untilAnnouncementsAreHeard(stage, alpha);
      await alpha.server.perform([
        { type: "change-tools", add: [remoteTool("added")], remove: ["echo"] },
        { type: "send", message: changed },
      ]);
      await callWell(stage, alpha, { tool: "added", text: "to the new tool" });
      await mustNotOffer(stage, "echo", "the tool that was removed is still there");
      return "the snapshot followed";
    },
  },
  "change-during-listing": {
    title: "A change that is announced during a listing causes exactly one more",
    legal: ["the final snapshot is the server's; there were three listings in all"],
    fix: "Remember that a change was announced meanwhile, and list once more when the listing is done.",
    over: stdioAndHttp,
    async run(stage) {
      const old = { result: { tools: [remoteTool("append"), remoteTool("old")] } };
      const held: FaultRule["do"] = [
        { type: "hold", barrier: "listing" },
        { type: "respond", message: old },
      ];
      const alpha = await stage.start({ rules: [{ on: "tools/list", nth: 2, do: held }] });
      await stage.tool(alpha);
      await untilAnnouncementsAreHeard(stage, alpha);
      await alpha.server.send(changed);
      await stage.happens("it was not listed again", alpha.server.reached("listing"));
      await alpha.server.perform([{ type: "change-tools", add: [remoteTool("late")] }]);
      for (let i = 0; i < 3; i += 1) await alpha.server.send(changed);
      // What was sent must be read before the listing is answered: a call overtakes nothing on
      // stdio.
      await stage.quiet();
      alpha.server.open("listing");
      await stage.tool(alpha, "late");
      await stage.quiet();
      const listings = alpha.received("tools/list").length;
      must(listings === 3, `there were ${listings} listings, not 3`);
      await mustNotOffer(stage, "old", "an older listing overwrote a newer one");
      return "one more listing";
    },
  },
  "change-storm": {
    title: "300 announcements of a change cause a handful of listings",
    legal: ["the final snapshot is the server's; at most 20 listings"],
    fix: "Coalesce: at most one listing runs, and at most one is due.",
    over: stdioAndHttp,
    async run(stage) {
      const alpha = await stage.start();
      await stage.tool(alpha);
      await untilAnnouncementsAreHeard(stage, alpha);
      await alpha.server.perform([
        { type: "send", message: changed, times: 300 },
        { type: "change-tools", add: [remoteTool("final")] },
        { type: "send", message: changed },
      ]);
      await stage.tool(alpha, "final");
      await stage.quiet();
      const listings = alpha.received("tools/list").length;
      must(listings <= 20, `there were ${listings} listings`);
      await callWell(stage, alpha, "after the storm");
      return `${listings} listings`;
    },
  },
  "failed-refresh-keeps-tools": {
    title: "A listing that fails takes no tool away",
    legal: ["the tools stay, under their names, and can be called; the next refresh works"],
    fix: "Keep the last good listing until a new one is complete, and mark it stale.",
    over: ["stdio", "http", "http-2026"],
    uses: ["refresh"],
    async run(stage) {
      const alpha = await stage.start({ rules: [{ ...failingListing, nth: 2 }] });
      await stage.tool(alpha);
      const before = await stage.host.snapshot();
      await stage.host.refresh();
      must(alpha.received("tools/list").length > 1, "refresh did not list again");
      const after = await stage.host.snapshot();
      must(
        JSON.stringify(after.tools) === JSON.stringify(before.tools),
        `the snapshot had ${before.tools.length} tools before the listing that failed, and ${after.tools.length} after it`,
      );
      await callWell(stage, alpha, "with a stale listing");
      return "the tools stayed";
    },
  },
  "failed-add-leaves-nothing": {
    title: "A server that could not be added is not there at all",
    legal: ["an error; the snapshot is as before, and no process is left; the id can be used again"],
    fix: "Publish a server when its first listing is in; undo everything when it fails.",
    over: stdioAndHttp,
    uses: ["addServer"],
    async run(stage) {
      const alpha = await stage.serve("alpha");
      const broken = await stage.serve("beta", { rules: [failingListing] });
      const good = await stage.serve("beta");
      await stage.init(alpha);
      await stage.tool(alpha);
      const before = await stage.host.snapshot();
      const added = await stage.host.addServer(broken.spec);
      must(broken.received("tools/list").length > 0, "the server was never asked for its tools");
      must(!added.ok, "adding a server that cannot list its tools was reported as a success");
      const after = await stage.host.snapshot();
      must(JSON.stringify(after.tools) === JSON.stringify(before.tools), "the tools are not as before");
      must(!after.servers.some(({ id }) => id === "beta"), "the server that could not be added is registered");
      await mustLeaveNoProcess(stage, broken);
      const again = await stage.host.addServer(good.spec);
      must(again.ok, "its id could not be used again");
      await callWell(stage, good, "second try");
      await callWell(stage, alpha, "untouched");
      return added.ok ? "" : added.error.message;
    },
  },
  "add-at-run-time": {
    title: "A server that is added while the host runs offers its tools, and renames nobody's",
    legal: ["both servers' tools are there and can be called; the names given before stay"],
    fix: "Never rename a tool that a model may already know.",
    over: stdioAndHttp,
    uses: ["addServer"],
    async run(stage) {
      const script: FaultScript = { tools: [remoteTool("do.it"), remoteTool("append")] };
      const alpha = await stage.serve("a", { script });
      const beta = await stage.serve("a_do", { script: { tools: [remoteTool("it"), remoteTool("append")] } });
      await stage.init(alpha);
      const before = await stage.tool(alpha, "do.it");
      must((await stage.host.addServer(beta.spec)).ok, "a good server could not be added");
      await callWell(stage, beta, { tool: "it", text: "to the new one" });
      must((await stage.tool(alpha, "do.it")).name === before.name, "a tool has another name since then");
      await callWell(stage, alpha, { tool: "do.it", text: "to the old one" });
      return "added";
    },
  },
  "remove-server": {
    title: "A server that was removed is gone: its tools, its process, its traffic",
    legal: ["its tools are not in the snapshot, its process ends, its names are refused; the other server works"],
    fix: "Take the tools away first, then end the session.",
    over: stdioAndHttp,
    uses: ["removeServer"],
    async run(stage) {
      const [alpha, beta] = await stage.startTwo();
      const { name } = await stage.tool(alpha);
      await callWell(stage, alpha, "before");
      must((await stage.host.removeServer("alpha")).ok, "it could not be removed");
      const { tools, servers } = await stage.host.snapshot();
      must(!tools.some(({ serverId }) => serverId === "alpha"), "its tools are still in the snapshot");
      must(!servers.some(({ id }) => id === "alpha"), "it is still registered");
      await mustLeaveNoProcess(stage, alpha);
      const reported = await stage.host.call(name, { text: "after" });
      must(!reported.ok, `a call to a server that was removed brought ${describeCall(reported)}`);
      mustHaveRun(alpha, { text: "after", times: [0] });
      await callWell(stage, beta, "the other one");
      return describeCall(reported);
    },
  },
  "all-pages": {
    title: "Every page of a listing is read",
    level: "MUST",
    source: legacySpec("server/utilities/pagination", "Pagination"),
    legal: ["all tools are in the snapshot, each once"],
    fix: "Follow nextCursor until there is none. A cursor is opaque.",
    over: everywhere,
    async run(stage) {
      const many = { count: 7, tool: remoteTool("tool-{{i}}") };
      const alpha = await stage.start({ script: { manyTools: many, pageSize: 3 } });
      await stage.tool(alpha, "tool-6");
      const { tools } = await stage.host.snapshot();
      const names = new Set(tools.map(({ remoteName }) => remoteName));
      must(names.size === 7 && tools.length === 7, `there are ${tools.length} tools, of ${names.size} names, not 7`);
      return "all three pages";
    },
  },
  "endless-pages": {
    title: "A listing without an end is given up, and what was read of it is kept",
    legal: ["init ends; at most 1,500 pages were asked for; the other server works"],
    fix: "Bound the number of pages, and stop at a cursor that was there before.",
    over: ["http"],
    async run(stage) {
      const page = (name: string, nextCursor: string): FaultRule =>
        ruleOn("tools/list", { type: "respond", message: { result: { tools: [remoteTool(name)], nextCursor } } });
      const same = await stage.serve("alpha", { rules: [page("again", "again")] });
      const fresh = await stage.serve("gamma", { rules: [page("t{{params.cursor}}", "{{params.cursor}}x")] });
      const beta = await stage.serve("beta");
      await stage.init(same, fresh, beta);
      const pages = [same, fresh].map((stand) => stand.received("tools/list").length);
      must(Math.max(...pages) <= 1500, `${pages.join(" and ")} pages were asked for`);
      must(Math.min(...pages) > 0, "a listing was never begun");
      await stage.tool(same, "again");
      await stage.tool(fresh, "t");
      await callWell(stage, beta, "meanwhile");
      return `${pages.join(" and ")} pages`;
    },
  },
  "malformed-tool": {
    title: "A malformed tool costs that tool, not the list",
    legal: ["the well-formed tools are there and can be called"],
    fix: "Read a listing tool by tool; drop what is malformed, and say why.",
    over: stdioAndHttp,
    async run(stage) {
      const tools = [
        remoteTool("append"),
        null,
        { name: 5, inputSchema: { type: "object" } },
        { name: "no-schema" },
        { name: "text-schema", inputSchema: "object" },
        { inputSchema: { type: "object" } },
        remoteTool("last"),
      ];
      const alpha = await stage.start({ script: { tools } });
      await callWell(stage, alpha, "first");
      await callWell(stage, alpha, { tool: "last", text: "last" });
      return "the well-formed tools are there";
    },
  },
});

/** Waits until the host can hear an announcement: over HTTP it has to open a stream first. */
async function untilAnnouncementsAreHeard(stage: Stage, { server }: Stand): Promise<void> {
  if (stage.venue === "stdio") return;
  await stage.happens("no stream was opened on which a change could be announced", server.occurred("stream-opened"));
}
