import type { JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { describeAnswer, excerpt } from "../handshake.ts";
import type { Answer } from "../raw-session.ts";
import type { ServerTarget } from "../server-target.ts";
import { lists, readRawListing, type ListName, type RawListing } from "../raw-listing.ts";
import type { Finding } from "../../engine/check.ts";
import { describeChange } from "./describe-change.ts";
import {
  fail,
  failWith,
  pass,
  judgeRefusal,
  notApplicable,
  notKnown,
  defineChecks,
  legacySpec,
  modernSpec,
  hostAdvice,
  wordsOf,
  type CheckInit,
  type ServerCheck,
} from "./define-check.ts";

const paging = "server/utilities/pagination";

/** What a server lists, and what is the same for each of them. */
interface ListedArea {
  readonly area: "tools" | "resources" | "prompts";
  readonly names: readonly ListName[];
}

type ChecksById = Readonly<Record<string, CheckInit>>;

/** The checks that are the same for tools, resources and prompts. */
function listChecks(listed: ListedArea): ChecksById {
  return { ...declarationChecks(listed), ...pagingChecks(listed), ...listChangedCheck(listed) };
}

/** Whether lists and capabilities match. */
function declarationChecks({ area, names }: ListedArea): ChecksById {
  const source = legacySpec(`server/${area}#capabilities`, `${capitalized(area)}, capabilities`);
  return {
    [`${area}/list`]: {
      title: `${area}/list answers when the capability is declared`,
      level: "MUST",
      rule: `Servers that declare the ${area} capability answer ${area}/list.`,
      source,
      legal: [`a result with an array of ${area}, on every page`],
      fix: `Answer ${area}/list, on every page, with an array of ${area}; it may be empty.`,
      needs: ["lifecycle/second-client"],
      run: async (target) => {
        const { handshake } = await target.shared();
        if (!isJsonObject(handshake.capabilities[area])) return notApplicable(`the server declares no ${area}`);
        const listings = await Promise.all(names.map(async (name) => ({ name, ...(await target.listing(name)) })));
        const found = listings.map(judgeListing);
        return found.find(({ status }) => status !== "pass") ?? (found[0] as Finding); // There is one list at least.
      },
    },
    [`${area}/capability-honest`]: {
      title: `A server without the ${area} capability does not list ${area}`,
      level: "SHOULD",
      rule: "Both parties use only capabilities that were negotiated.",
      source: legacySpec("basic/lifecycle#operation", "Lifecycle, operation"),
      legal: [`an error to ${area}/list`, "an empty list"],
      fix: `Declare capabilities.${area}: hosts do not ask a server for ${area} that does not.`,
      needs: ["requests/unknown-method", "lifecycle/initialize-result"],
      run: (target) =>
        target.lend(async ({ handshake, request }) => {
          if (isJsonObject(handshake.capabilities[area])) return notApplicable(`the server declares ${area}`);
          const answer = await request(`${area}/list`);
          if (answer.kind === "silence" || answer.kind === "gone") return notKnown(describeAnswer(answer));
          if (answer.kind !== "result") return pass(describeAnswer(answer));
          const listed = isJsonObject(answer.result) ? answer.result[area] : undefined;
          const count = Array.isArray(listed) ? listed.length : 0;
          return count === 0 ? pass("none listed") : fail(`${count} ${area} that no host will see`);
        }),
    },
  };
}

/** How pages follow one another. */
function pagingChecks({ area, names }: ListedArea): ChecksById {
  return {
    [`${area}/pagination-ends`]: {
      title: "Following the cursors ends",
      level: "MUST",
      rule: "A result without nextCursor is the last page; a cursor marks a position that moves on.",
      source: legacySpec(paging, "Pagination"),
      legal: ["no page and no cursor comes again and again in the first 200 pages"],
      fix: "Begin a page where its cursor says, leave nextCursor out on the last page, and derive each cursor from the last item of its page.",
      run: async (target) => {
        const listings = await listingsOf(target, names);
        const endless = listings.flatMap((listing) => listing.endless ?? []);
        const pages = listings.reduce((sum, listing) => sum + listing.pages.length, 0);
        const more = listings.some(({ isCut }) => isCut) ? ", of more" : "";
        return endless[0] === undefined ? pass(`${pages} pages${more}`) : fail(endless.join("; "));
      },
    },
    [`${area}/unknown-cursor`]: {
      title: "A cursor that the server did not give is refused with -32602",
      level: "SHOULD",
      rule: "Invalid cursors should result in an error with code -32602.",
      source: legacySpec(paging, "Pagination, error handling"),
      legal: ["error -32602"],
      fix: "Check the cursor and answer -32602: a host that sees page one again may read for ever.",
      run: async (target) => {
        const { request } = await target.shared();
        const { pages } = await target.listing(area);
        if (pages.length < 2) return notApplicable("the server lists everything on one page");
        return judgeRefusal(await request(`${area}/list`, { cursor: "hostside-no-such-cursor" }), [-32_602]);
      },
    },
    [`${area}/cursor-form`]: {
      title: "nextCursor is a text, or absent",
      level: "MUST",
      rule: "A cursor is an opaque text; a missing nextCursor means the end of the results.",
      source: legacySpec(`${paging}#response-format`, "Pagination, response format"),
      legal: ["no nextCursor on the last page", "a non-empty text on every other page"],
      fix: "Leave nextCursor out instead of sending null or an empty text: some hosts ask again with it.",
      run: async (target) => {
        const pages = (await listingsOf(target, names)).flatMap((listing) => listing.pages);
        const cursors = pages.flatMap(
          ({ result }) => result["nextCursor"] ?? (result["nextCursor"] === null ? [null] : []),
        );
        const wrong = cursors.find((cursor) => typeof cursor !== "string" || cursor === "");
        return wrong === undefined ? pass(`${cursors.length} cursors`) : fail(`nextCursor ${excerpt(wrong)}`);
      },
    },
  };
}

/** Whether changes that are announced are some. */
function listChangedCheck({ area, names }: ListedArea): ChecksById {
  const listChanged = `notifications/${area}/list_changed`;
  return {
    [`${area}/list-changed-honest`]: {
      title: "A change that is announced is one",
      level: "HOST",
      rule: `A host lists all ${area} again after each announcement, and a model's cached prompt is lost with it.`,
      source: hostAdvice("list-changed"),
      legal: [`another list after each ${listChanged} that comes after a listing`, "no notification"],
      fix: `Send the notification only when the ${area} differ from what was listed last.`,
      needs: [`${area}/pagination-ends`],
      run: async (target) => {
        const known = await Promise.all(names.map(async (name) => ({ name, ...(await target.listing(name)) })));
        if (known.some(({ isCut }) => isCut)) return notApplicable("the list is longer than what is read of it");
        const listed = known.filter(({ broken }) => broken === undefined);
        return target.lend(async (ready) => {
          const isListChanged = ({ method }: JsonObject): boolean => method === listChanged;
          // What a listing makes the server announce comes before the answer to a later request.
          const listAndWait = async (): Promise<string> => {
            const listings = await Promise.all(listed.map(({ name }) => readRawListing(ready, name)));
            await ready.probe();
            return JSON.stringify(listings.map(({ items }) => items));
          };
          let before = await listAndWait();
          // A true change may be announced after it was listed, but not after every listing.
          for (let round = 1; round <= 2; round += 1) {
            const earlier = ready.session.unsolicited.filter(isListChanged).length;
            const after = await listAndWait();
            if (ready.session.unsolicited.filter(isListChanged).length === earlier) return pass("none was announced");
            if (before !== after) return pass("the list did change");
            before = after;
          }
          return fail("announced after each of two listings, and the list is the same");
        });
      },
    },
  };
}

/** Whether every page of a list is one. A server that has resources may have no templates. */
function judgeListing({ name, broken, pages, items }: RawListing & { readonly name: ListName }): Finding {
  if (name === "resourceTemplates" && pages.length === 0 && broken && isNotServed(broken)) return pass("no templates");
  const isMissing = broken?.kind === "error" && broken.code === -32_601;
  if (isMissing)
    return fail(
      describeAnswer(broken),
      `Register a handler for ${lists[name].method}, or do not declare the capability ${lists[name].capability}.`,
    );
  if (broken?.kind === "error")
    return fail(`${lists[name].method}: ${describeAnswer(broken)}`, "Find out what the handler throws, and mend it.");
  if (broken?.kind === "silence" && broken.instead === undefined) return notKnown(describeAnswer(broken));
  if (broken?.kind === "gone" && pages.length > 0) return fail(`a page was listed, and then ${broken.reason}`);
  if (broken) return failWith(broken);
  const wrong = pages.find(({ result }) => !Array.isArray(result[name]));
  return wrong
    ? fail(`a page without an array ${name}: ${excerpt(wrong.result)}`)
    : pass(`${items.length} ${wordsOf(name)} on ${pages.length} pages`);
}

/** Whether a method is refused or passed over. What is almost an answer, or the end of the process, is neither. */
function isNotServed(answer: Answer): boolean {
  if (answer.kind === "silence" || answer.kind === "http") return answer.instead === undefined;
  return answer.kind === "error";
}

/** Listings, with their session as the trace of a failure. */
async function listingsOf(target: ServerTarget, names: readonly ListName[]): Promise<readonly RawListing[]> {
  await target.shared();
  return Promise.all(names.map((name) => target.listing(name)));
}

function capitalized(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}

/** How a server lists its tools: page by page, again, and after a restart. */
export const listingChecks: readonly ServerCheck[] = defineChecks("any", ["tools/list"], {
  ...listChecks({ area: "tools", names: ["tools"] }),
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
      const change = describeChange(first.items, second.items, "then");
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
      const change = describeChange(first.items, second.items, "after a restart");
      return change === undefined ? pass("equal") : fail(change);
    },
  },
});

/** How a server lists its resources and their templates. */
export const resourceListChecks: readonly ServerCheck[] = defineChecks(
  "any",
  ["resources/list"],
  listChecks({ area: "resources", names: ["resources", "resourceTemplates"] }),
);

/** How a server lists its prompts. */
export const promptListChecks: readonly ServerCheck[] = defineChecks(
  "any",
  ["prompts/list"],
  listChecks({ area: "prompts", names: ["prompts"] }),
);
