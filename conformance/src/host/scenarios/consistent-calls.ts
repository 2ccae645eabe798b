import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "@hostside/fixtures";
import { isJsonObject } from "@hostside/core/implement";
import { legacySpec } from "../../server/checks/define-check.ts";
import { scenariosOf, type HostScenario } from "../host-scenario.ts";
import { everywhere, stdioAndHttp } from "../host-venue.ts";
import type { Stage, Stand } from "../stage.ts";
import { must } from "../violation.ts";
import { remoteTool } from "./consistent-tools.ts";
import { callWell, describeCall, onCallWith, succeeded, ruleOn } from "./judge-calls.ts";

const legalName = /^[a-zA-Z0-9_-]{1,64}$/;
const calling = legacySpec("server/tools", "Calling Tools");

/** Names, arguments, results and cancellation: what a call is made of. */
export const consistentCalls: readonly HostScenario[] = scenariosOf("consistent", {
  "name-collisions": {
    title: "Tools whose names look alike get names of their own, and each call reaches its own tool",
    legal: ["names are unique, of the characters a-z A-Z 0-9 _ -, and at most 64 long; each runs its own tool"],
    fix: "Add a hash of the identity (server and remote name) to names that collide. Look routes up; never parse names.",
    over: ["http"],
    uses: ["localNames"],
    async run(stage) {
      const names = ["get.user", "get_user", "get user", "GET_USER", "get/user"];
      const alpha = await stage.serve("alpha", { script: { tools: names.map(remoteTool) } });
      const left = await stage.serve("x", { script: { tools: [remoteTool("y_z")] } });
      const right = await stage.serve("x_y", { script: { tools: [remoteTool("z")] } });
      await stage.init(alpha, left, right);
      await mustBeLegal(stage, names.length + 2);
      for (const name of names) await callWell(stage, alpha, { tool: name, text: name });
      await callWell(stage, left, { tool: "y_z", text: "to the left" });
      await callWell(stage, right, { tool: "z", text: "to the right" });
      return "each call reached its own tool";
    },
  },
  "long-names": {
    title: "Names longer than 64 characters are shortened, and stay different",
    legal: ["names are unique, legal and at most 64 long; each runs its own tool"],
    fix: "Cut, and add a hash of the identity.",
    over: ["http"],
    uses: ["localNames"],
    async run(stage) {
      const names = ["1", "2", "3"].map((end) => `${"list_all_open_tickets_of_a_project_".repeat(3)}${end}`);
      const alpha = await stage.serve("a-server-with-a-rather-long-identifier-of-its-own", {
        script: { tools: names.map(remoteTool) },
      });
      await stage.init(alpha);
      await mustBeLegal(stage, names.length);
      for (const name of names) await callWell(stage, alpha, { tool: name, text: name });
      return "each call reached its own tool";
    },
  },
  "order-independence": {
    title: "Names do not depend on the order in which a server lists its tools",
    legal: ["the same names for the same tools when the listing is reversed"],
    fix: "When names collide, treat all that do alike; do not let the first one win.",
    over: ["http"],
    uses: ["localNames"],
    async run(stage) {
      const tools = ["a.b", "a_b", "a b", "c"].map(remoteTool);
      const namesOf = async (list: readonly JsonObject[]): Promise<ReadonlyMap<string, string>> => {
        const alpha = await stage.start({ script: { tools: list } });
        await stage.tool(alpha, "c");
        const snapshot = await stage.host.snapshot();
        must((await stage.host.close()).ok, "close failed");
        return new Map(snapshot.tools.map(({ remoteName, name }) => [remoteName, name]));
      };
      const first = await namesOf(tools);
      const second = await namesOf(tools.toReversed());
      for (const [remote, name] of first) {
        must(
          second.get(remote) === name,
          `${JSON.stringify(remote)} was ${name}, and is ${second.get(remote)} in reverse`,
        );
      }
      must(first.size === tools.length, `there are ${first.size} tools, not ${tools.length}`);
      return "the same names";
    },
  },
  "same-name-twice": {
    title: "A server that lists a name twice costs one of the two",
    legal: ["local names are unique; the other tools are there"],
    fix: "Keep the first of two equal names.",
    over: ["http"],
    async run(stage) {
      const alpha = await stage.start({
        script: { tools: [remoteTool("twin"), remoteTool("append"), remoteTool("twin")] },
      });
      await callWell(stage, alpha, "other");
      await callWell(stage, alpha, { tool: "twin", text: "twin" });
      const { tools } = await stage.host.snapshot();
      must(new Set(tools.map(({ name }) => name)).size === tools.length, "two tools have one name");
      return `${tools.length} tools`;
    },
  },
  "same-name-on-two-servers": {
    title: "Two servers with a tool of the same name both offer it, and each call reaches its own server",
    legal: ["both are in the snapshot under names of their own; each runs on its own server"],
    fix: "Make the server a part of the local name.",
    over: stdioAndHttp,
    async run(stage) {
      const [alpha, beta] = await stage.startTwo();
      const [one, other] = [await stage.tool(alpha), await stage.tool(beta)];
      must(one.name !== other.name, `both are called ${one.name}`);
      await callWell(stage, alpha, "to alpha");
      await callWell(stage, beta, "to beta");
      must(alpha.runs("append").length === 1 && beta.runs("append").length === 1, "a call ran on the wrong server");
      return "each call reached its own server";
    },
  },
  "remote-names-exact": {
    title: "A server is called by the very name that it listed",
    level: "MUST",
    source: calling,
    legal: ["params.name is the listed name, byte for byte"],
    fix: "Keep the remote name beside the local one, unchanged.",
    over: stdioAndHttp,
    async run(stage) {
      const names = ["UPPER lower", "größe/π", "dots.and:colons", "e\u0301", "\u00e9"];
      const alpha = await stage.start({ script: { tools: names.map(remoteTool) } });
      for (const name of names) await callWell(stage, alpha, { tool: name, text: name });
      const sent = alpha.received("tools/call").map(({ params }) => params["name"]);
      must(isDeepStrictEqual(sent, names), `the names on the wire are ${JSON.stringify(sent)}`);
      return "byte for byte";
    },
  },
  "unknown-tool": {
    title: "A call to a tool that is not there is refused, and no server hears of it",
    legal: ["an error, and no tools/call on the wire"],
    fix: "Look the name up before anything is sent.",
    over: stdioAndHttp,
    async run(stage) {
      const alpha = await stage.start();
      const { name } = await stage.tool(alpha);
      const reported = [await stage.host.call(`${name}_x`, {}), await stage.host.call("no_such_tool", {})];
      for (const each of reported) must(!each.ok, `a call to no tool brought ${describeCall(each)}`);
      await callWell(stage, alpha, "a real one");
      const sent = alpha.received("tools/call").length;
      must(sent === 1, `${sent - 1} calls to tools that are not there were sent`);
      return reported.map(describeCall).join("; ");
    },
  },
  "arguments-exact": {
    title: "Arguments arrive as they were given, with nothing added",
    level: "MUST",
    source: calling,
    legal: ["params.arguments equals what the caller gave"],
    fix: "Pass arguments on as they are; metadata goes beside them, in _meta.",
    over: everywhere,
    async run(stage) {
      // A tool that takes anything: a host may well refuse what a schema does.
      const args = { text: "x", nested: { list: [1, null, true, 1.5, ""] }, größe: "ß", "": "empty", "a.b": { c: [] } };
      const alpha = await stage.start({ script: { tools: [remoteTool("append")] } });
      const reported = [await stage.call(alpha, args), await stage.call(alpha, {})];
      for (const each of reported) must(succeeded(each), `the call brought ${describeCall(each)}`);
      const ran = alpha.runs("append");
      must(isDeepStrictEqual(ran, [args, {}]), `the arguments that arrived are ${JSON.stringify(ran)}`);
      return "the same arguments";
    },
  },
  "meta-beside-arguments": {
    title: "Metadata of a call goes beside its arguments",
    level: "MUST",
    source: legacySpec("basic", "_meta"),
    legal: ["params._meta has it, and params.arguments has not"],
    fix: "Send it as params._meta.",
    over: ["stdio", "http", "http-2026"],
    uses: ["meta"],
    async run(stage) {
      const meta = { "example.com/trace": "abc-123" };
      const alpha = await stage.start();
      const reported = await stage.call(alpha, { text: "x" }, { meta });
      must(succeeded(reported), `the call brought ${describeCall(reported)}`);
      const ran = alpha.runs("append");
      must(isDeepStrictEqual(ran, [{ text: "x" }]), `the arguments that arrived are ${JSON.stringify(ran)}`);
      const sent = alpha.received("tools/call")[0]?.params["_meta"];
      must(isJsonObject(sent) && sent["example.com/trace"] === "abc-123", `_meta is ${JSON.stringify(sent)}`);
      return "in _meta, and only there";
    },
  },
  "result-kept": {
    title: "A result is kept whole: unknown kinds of content, structured content, isError",
    legal: ["all of it is in what the host reports"],
    fix: "Pass on what you do not know.",
    over: stdioAndHttp,
    async run(stage) {
      const result = {
        content: [
          { type: "text", text: "a" },
          { type: "resource_link", uri: "file:///x", name: "x" },
        ],
        structuredContent: { n: 1, deep: [null] },
        isError: true,
      };
      const rules = [ruleOn("tools/call", { type: "respond", message: { result } })];
      const alpha = await stage.start({ rules });
      const reported = await stage.call(alpha, { text: "x" });
      must(reported.ok, `the call brought ${describeCall(reported)}`);
      must(isDeepStrictEqual(reported.value, result), `of the result is left: ${JSON.stringify(reported.value)}`);
      return "the whole result";
    },
  },
  "cancel-reaches-the-server": {
    title: "A call that is given up is ended, and the server is told which one",
    level: "HOST",
    source: legacySpec("basic/utilities/cancellation", "Cancellation Flow"),
    legal: ["the call ends with an error; notifications/cancelled names its request; the next call works"],
    fix: "Send notifications/cancelled with the id of the request, and settle the call without waiting.",
    over: ["stdio", "stdio-2026", "http", "sse"],
    uses: ["cancel"],
    async run(stage) {
      const silent = onCallWith("never mind");
      const alpha = await stage.serve("alpha", { rules: [silent] });
      const call = await callAndGiveUp(stage, alpha);
      await stage.happens("the server was not told", alpha.server.occurred("notifications/cancelled"));
      const reported = alpha.received("notifications/cancelled")[0]?.params["requestId"];
      const asked = alpha.received("tools/call")[0]?.id;
      must(
        reported === asked,
        `the server was told of request ${JSON.stringify(reported)}, not of ${JSON.stringify(asked)}`,
      );
      await callWell(stage, alpha, "after giving up");
      return call;
    },
  },
});

async function callAndGiveUp(stage: Stage, stand: Stand): Promise<string> {
  await stage.init(stand);
  const call = await stage.startCall(stand, { text: "never mind" }, { timeoutMs: stage.patienceMs * 3 });
  await stage.happens("the call did not reach the server", stand.server.occurred("tools/call"));
  must((await stage.host.cancel(call.callId)).ok, "cancel failed");
  const reported = await stage.happens("the call that was given up still waits", call.settled);
  must(!succeeded(reported), `the call that was given up brought ${describeCall(reported)}`);
  return describeCall(reported);
}

async function mustBeLegal(stage: Stage, count: number): Promise<void> {
  const { host } = stage;
  await stage.eventually(`there are not ${count} tools in the snapshot`, async () => {
    return (await host.snapshot()).tools.length >= count;
  });
  const { tools } = await host.snapshot();
  const names = tools.map(({ name }) => name);
  const illegal = names.find((name) => !legalName.test(name));
  must(illegal === undefined, `${JSON.stringify(illegal)} is not a legal name for a model's function`);
  // Some model APIs do not tell names apart by case.
  const different = new Set(names.map((name) => name.toLowerCase())).size;
  must(different === names.length, `${names.length} tools share ${different} names: ${names.join(", ")}`);
}
