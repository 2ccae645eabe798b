import type { JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { describeAnswer, excerpt } from "../handshake.ts";
import type { ServerTarget } from "../server-target.ts";
import { readRawListing, type RawListing } from "../raw-listing.ts";
import { describeChange } from "./describe-change.ts";
import {
  fail,
  failWith,
  pass,
  notApplicable,
  defineChecks,
  legacySpec,
  modernSpec,
  hostAdvice,
  type ServerCheck,
} from "./define-check.ts";

const page = "server/tools";
const paging = "server/utilities/pagination";

/** How a server lists its tools: page by page, again, and after a restart. */
export const listingChecks: readonly ServerCheck[] = defineChecks("any", ["tools/list"], {
  "tools/list": {
    title: "tools/list answers when the capability is declared",
    level: "MUST",
    rule: "Servers that declare the tools capability answer tools/list.",
    source: legacySpec(`${page}#capabilities`, "Tools, capabilities"),
    legal: ["a result with an array of tools, on every page"],
    fix: "Return { tools: [] } when there are none.",
    needs: ["lifecycle/second-client"],
    run: async (target) => {
      const { handshake } = await target.shared();
      if (!isJsonObject(handshake.capabilities["tools"])) return notApplicable("the server declares no tools");
      const { broken, pages, tools } = await target.listing();
      if (broken) return failWith(broken);
      const wrong = pages.find(({ result }) => !Array.isArray(result["tools"]));
      return wrong
        ? fail(`a page without an array of tools: ${JSON.stringify(wrong.result)}`)
        : pass(`${tools.length} tools on ${pages.length} pages`);
    },
  },
  "tools/capability-honest": {
    title: "A server without the tools capability does not list tools",
    level: "SHOULD",
    rule: "Both parties use only capabilities that were negotiated.",
    source: legacySpec("basic/lifecycle#operation", "Lifecycle, operation"),
    legal: ["an error to tools/list", "an empty list"],
    fix: "Declare capabilities.tools: hosts do not ask a server for tools that does not.",
    needs: ["lifecycle/second-client"],
    run: async (target) => {
      const { handshake, request } = await target.shared();
      if (isJsonObject(handshake.capabilities["tools"])) return notApplicable("the server declares tools");
      const answer = await request("tools/list");
      const listed =
        answer.kind === "result" && isJsonObject(answer.result) && Array.isArray(answer.result["tools"])
          ? answer.result["tools"]
          : [];
      return listed.length === 0 ? pass("none listed") : fail(`${listed.length} tools that no host will see`);
    },
  },
  "tools/pagination-ends": {
    title: "Following the cursors ends",
    level: "MUST",
    rule: "A result without nextCursor is the last page; a cursor marks a position that moves on.",
    source: legacySpec(paging, "Pagination"),
    legal: ["no cursor comes twice, and there are at most 200 pages"],
    fix: "Leave nextCursor out on the last page; derive each cursor from the last item of its page.",
    run: async (target) => {
      const { pages, repeatedCursor } = await listed(target);
      if (repeatedCursor !== undefined) return fail(`cursor ${JSON.stringify(repeatedCursor)} came twice`);
      return pages.length < 200 ? pass(`${pages.length} pages`) : fail("no end after 200 pages");
    },
  },
  "tools/unknown-cursor": {
    title: "A cursor that the server did not give is refused with -32602",
    level: "SHOULD",
    rule: "Invalid cursors should result in an error with code -32602.",
    source: legacySpec(paging, "Pagination, error handling"),
    legal: ["error -32602"],
    fix: "Check the cursor and answer -32602: a host that sees page one again may read for ever.",
    run: async (target) => {
      const { request } = await target.shared();
      const { pages } = await target.listing();
      if (pages.length < 2) return notApplicable("the server lists everything on one page");
      const answer = await request("tools/list", { cursor: "hostside-no-such-cursor" });
      return answer.kind === "error" && answer.code === -32602 ? pass("error -32602") : fail(describeAnswer(answer));
    },
  },
  "tools/cursor-form": {
    title: "nextCursor is a text, or absent",
    level: "MUST",
    rule: "A cursor is an opaque text; a missing nextCursor means the end of the results.",
    source: legacySpec(`${paging}#response-format`, "Pagination, response format"),
    legal: ["no nextCursor on the last page", "a non-empty text on every other page"],
    fix: "Leave nextCursor out instead of sending null or an empty text: some hosts ask again with it.",
    run: async (target) => {
      const { pages } = await listed(target);
      const cursors = pages.flatMap(({ result }) => (result["nextCursor"] === undefined ? [] : [result["nextCursor"]]));
      const wrong = cursors.find((cursor) => typeof cursor !== "string" || cursor === "");
      return wrong === undefined ? pass(`${cursors.length} cursors`) : fail(`nextCursor ${excerpt(wrong)}`);
    },
  },
  "tools/cursor-stable": {
    title: "The same cursor gives the same page again",
    level: "SHOULD",
    rule: "Servers provide stable cursors.",
    source: legacySpec(`${paging}#implementation-guidelines`, "Pagination, implementation guidelines"),
    legal: ["the same tools on the page, as long as nothing changed"],
    fix: "Derive the page from the cursor alone, not from a position that the server remembers: a host may have to ask again.",
    run: async (target) => {
      const { request } = await target.shared();
      const second = (await target.listing()).pages[1];
      if (second === undefined) return notApplicable("the server lists everything on one page");
      const again = await request("tools/list", second.cursor === undefined ? {} : { cursor: second.cursor });
      if (again.kind !== "result" || !isJsonObject(again.result)) return failWith(again);
      return JSON.stringify(again.result["tools"]) === JSON.stringify(second.result["tools"])
        ? pass("the same page")
        : fail(`cursor ${excerpt(second.cursor)} gave another page the second time`);
    },
  },
  "tools/order-stable": {
    title: "Two listings are equal, to the order of the tools",
    level: "SHOULD",
    rule: "Tools should be listed in a deterministic order, so that hosts and models can cache.",
    source: modernSpec("server/tools#capabilities", "Tools, capabilities"),
    legal: ["the same tools in the same order, as long as nothing changed"],
    fix: "Sort the tools, or list them in the order of registration; do not iterate over an unordered map.",
    needs: ["tools/pagination-ends"],
    run: async (target) => {
      const ready = await target.shared();
      const [first, second] = [await target.listing(), await readRawListing(ready)];
      if (second.broken) return fail(`the second listing: ${describeAnswer(second.broken)}`);
      const change = describeChange(first.tools, second.tools, "then");
      return change === undefined ? pass("equal") : fail(change);
    },
  },
  "tools/restart-stable": {
    title: "After a restart the listing is the same",
    level: "HOST",
    rule: "A host that restarts a server goes on with the tools that it had.",
    source: hostAdvice("restart-stable"),
    legal: ["the same definitions in a new process or session"],
    fix: "Keep times, random values, counters and the order of an unordered map out of names, descriptions and schemas.",
    needs: ["tools/pagination-ends"],
    run: async (target) => {
      const again = await target.openReady();
      const [first, second] = [await target.listing(), await readRawListing(again)];
      if (second.broken) return fail(`after a restart: ${describeAnswer(second.broken)}`);
      const change = describeChange(first.tools, second.tools, "after a restart");
      return change === undefined ? pass("equal") : fail(change);
    },
  },
  "tools/list-changed-declared": {
    title: "A server that announces changes declares that it does",
    level: "SHOULD",
    rule: "Servers that declare listChanged send notifications when the list changes; hosts listen to no others.",
    source: legacySpec(`${page}#list-changed-notification`, "Tools, list changed notification"),
    legal: ["tools.listChanged is true", "no notifications/tools/list_changed"],
    fix: "Declare { tools: { listChanged: true } }, or send no such notification.",
    run: async (target) => {
      const { session, handshake, probe } = await target.shared();
      const declared = isJsonObject(handshake.capabilities["tools"]) && handshake.capabilities["tools"]["listChanged"];
      if (declared === true) return pass("declared");
      await target.listing();
      await probe();
      return session.unsolicited.some(isListChanged)
        ? fail("notifications/tools/list_changed without tools.listChanged")
        : pass("none was sent");
    },
  },
  "tools/list-changed-honest": {
    title: "A change that is announced is one",
    level: "HOST",
    rule: "A host lists all tools again after each announcement, and a model's cached prompt is lost with it.",
    source: hostAdvice("list-changed"),
    legal: ["another list after each notifications/tools/list_changed that comes after a listing", "no notification"],
    fix: "Send the notification only when the tools differ from what was listed last.",
    needs: ["tools/pagination-ends"],
    run: (target) =>
      target.lend(async (ready) => {
        // What a listing makes the server announce comes before the answer to a later request.
        const listAndWait = async (): Promise<RawListing> => {
          const listing = await readRawListing(ready);
          await ready.probe();
          return listing;
        };
        const before = await listAndWait();
        const known = ready.session.unsolicited.filter(isListChanged).length;
        const after = await listAndWait();
        const announced = ready.session.unsolicited.filter(isListChanged).length - known;
        if (announced === 0) return pass("none was announced");
        return JSON.stringify(before.tools) === JSON.stringify(after.tools)
          ? fail(`${announced} announced, and the list is the same`)
          : pass("the list did change");
      }),
  },
});

function isListChanged({ method }: JsonObject): boolean {
  return method === "notifications/tools/list_changed";
}

/** The listing, with its session as the trace of a failure. */
async function listed(target: ServerTarget): Promise<RawListing> {
  await target.shared();
  return target.listing();
}
