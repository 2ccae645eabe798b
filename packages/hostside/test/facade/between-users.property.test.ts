import { createMemoryLock, createMemoryStore, isHostsideError, type ToolOutcome } from "@hostside/core";
import * as fc from "fast-check";
import { createHost, type Conversation, type Host, type HostServerEntry } from "hostside";
import { expect, it } from "vitest";
import { createTellingConnector, type TellingAnswer } from "./telling-connector.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

interface Person {
  readonly principal: "ada" | "bob";
  readonly id: "1" | "2";
  readonly role: "admin" | "guest";
}

interface Server {
  readonly command: "one" | "two";
  readonly token: "x" | "y";
  readonly passContext: boolean;
}

/** Servers by who shares them; that of `file` is edited in its file, the others in code. */
const sharings = { all: "shared", headers: "shared", file: "principal", own: "conversation" } as const;
type ServerId = keyof typeof sharings;

type Step =
  | { readonly do: "edit"; readonly id: ServerId; readonly server: Server }
  | { readonly do: "call" | "read" | "note"; readonly id: ServerId; readonly each: readonly Person[] }
  | { readonly do: "keep" | "close"; readonly who: Person }
  | { readonly do: "restart" };

const who: fc.Arbitrary<Person> = fc.record({
  principal: fc.constantFrom("ada", "bob"),
  id: fc.constantFrom("1", "2"),
  role: fc.constantFrom("admin", "guest"),
});
const everybody = (["ada", "bob"] as const).flatMap((principal) =>
  (["1", "2"] as const).flatMap((id) => (["admin", "guest"] as const).map((role) => ({ principal, id, role }))),
);
const each = fc.shuffledSubarray<Person>(everybody, { minLength: 2, maxLength: 5 });
const id = fc.constantFrom<ServerId[]>("all", "headers", "file", "own");
const server: fc.Arbitrary<Server> = fc.record({
  command: fc.constantFrom("one", "two"),
  token: fc.constantFrom("x", "y"),
  passContext: fc.constantFrom(false, false, true),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("edit"), id, server }) },
  { weight: 12, arbitrary: fc.record({ do: fc.constantFrom("call", "read", "note"), id, each }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("keep", "close"), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart") }) },
);

const first: Server = { command: "one", token: "x", passContext: false };
const nameOf = ({ principal, id: conversation }: Person): string => `${principal}/${conversation}`;
// What an edit has made of a tool since it was selected, or what is on its way.
const passing = new Set(["registration_replaced", "tool_changed", "tool_removed", "connection_closed"]);

/** A host with servers that tell whom they answer, and what each of its users may hear. */
function createWorld(pool: object | undefined) {
  const folder = createTemporaryFolder();
  const state = { store: createMemoryStore(), lock: createMemoryLock() };
  const servers = new Map<ServerId, Server>([
    ["all", first],
    ["headers", first],
    ["file", first],
    ["own", first],
  ]);
  const conversations = new Map<string, Conversation>();
  const handles = new Map<string, string>();
  const approved = new Set<string>();
  /** To whom each answer was given first. */
  const heard = new Map<number, Person>();
  const counts = { fresh: 0, again: 0, asked: 0, unasked: 0 };
  const connector = createTellingConnector({ headersFor: ["headers"] });
  let asked = false;
  let host: Host;

  const serverOf = (serverId: ServerId): Server => servers.get(serverId) ?? first;
  const entryOf = (serverId: ServerId): HostServerEntry => {
    const { command, token, passContext } = serverOf(serverId);
    const tools = { tell: { effect: "pure" } } as const;
    return { command, env: { TOKEN: token }, passContext, sharing: sharings[serverId], tools };
  };
  const writeFile = (): string =>
    folder.write("hostside.json", {
      servers: { file: entryOf("file") },
      settings: { resourceCache: { ttlMs: 60_000 }, watch: { quietMs: 1 } },
    });
  const start = async (): Promise<void> => {
    const handler = async (): Promise<"always"> => {
      asked = true;
      return "always";
    };
    host = await createHost({
      connector,
      state,
      pool,
      config: writeFile(),
      servers: { all: entryOf("all"), headers: entryOf("headers"), own: entryOf("own") },
      policy: { cache: {}, requireApproval: ["*/note"], approval: { handler } },
    });
  };
  const conversationOf = async (person: Person): Promise<Conversation> => {
    const key = JSON.stringify(person);
    const { principal, id: conversation, role } = person;
    const open =
      conversations.get(key) ?? (await host.conversation({ id: conversation, principal, context: { role } }));
    conversations.set(key, open);
    return open;
  };
  const call = async (person: Person, name: string): Promise<ToolOutcome | undefined> => {
    const conversation = await conversationOf(person);
    for (let turn = 0; turn < 5; turn += 1) {
      conversation.tools();
      try {
        return await conversation.call(name, name.endsWith("note") ? { text: nameOf(person) } : {});
      } catch (error) {
        if (!isHostsideError(error) || !passing.has(error.code)) throw error;
      }
    }
    return undefined;
  };
  /** Holds an answer against what the person may hear. */
  const check = (serverId: ServerId, person: Person, answer: TellingAnswer): void => {
    const { command, token, passContext } = serverOf(serverId);
    const sharing = pool === undefined ? "shared" : sharings[serverId];
    expect(answer).toMatchObject({ serverId, program: command, token });
    expect(sharing === "shared" ? person.principal : answer.principal).toBe(person.principal);
    const others = answer.notes.filter((note) => note !== JSON.stringify(nameOf(person)));
    expect(sharing === "conversation" ? others : []).toEqual([]);
    const before = heard.get(answer.answer);
    heard.set(answer.answer, before ?? person);
    counts[before === undefined ? "fresh" : "again"] += 1;
    const isOwn = sharings[serverId] === "conversation";
    const keyOf = (one: Person): unknown => [one.principal, one.role, isOwn ? one.id : ""];
    expect(keyOf(before ?? person)).toEqual(keyOf(person));
    expect(before !== undefined && (passContext || serverId === "headers")).toBe(false);
  };
  const tellOf = (outcome: ToolOutcome): TellingAnswer => {
    const [block] = outcome.content;
    return JSON.parse(block?.type === "text" ? block.text : "") as TellingAnswer;
  };
  const asks = {
    async call(serverId: ServerId, person: Person) {
      const outcome = await call(person, `mcp_${serverId}_tell`);
      if (outcome !== undefined) check(serverId, person, tellOf(outcome));
    },
    async note(serverId: ServerId, person: Person) {
      const grant = `${person.principal} ${serverId} ${serverOf(serverId).command}`;
      asked = false;
      await call(person, `mcp_${serverId}_note`);
      counts[asked ? "asked" : "unasked"] += 1;
      expect(asked || approved.has(grant)).toBe(true);
      approved.add(grant);
    },
    async read(serverId: ServerId, person: Person) {
      if (pool !== undefined && sharings[serverId] !== "shared") return;
      const { principal, id: conversation, role } = person;
      const context = { principal, conversation, role };
      const { contents } = await host.resources.read({ serverId, uri: "tell:it" }, { context });
      check(serverId, person, JSON.parse(contents[0]?.text ?? "") as TellingAnswer);
    },
  };
  const steps = {
    async edit({ id: serverId, server: next }: Extract<Step, { do: "edit" }>) {
      const isSame = JSON.stringify(next) === JSON.stringify(serverOf(serverId));
      servers.set(serverId, next);
      if (serverId !== "file") return host.servers.update(serverId, entryOf(serverId));
      if (isSame) return;
      const applied = new Promise((resolve) => host.onConfigReport(resolve));
      writeFile();
      await applied;
    },
    async keep({ who: person }: { readonly who: Person }) {
      const origin = { serverId: "all", toolName: "tell", qualifiedName: "mcp::all::tell" };
      const raw = { content: [{ type: "text" as const, text: "word ".repeat(20_000) }] };
      const shown = await (await conversationOf(person)).presenter.present({ ...raw, isError: false, origin, raw });
      handles.set(shown.omitted[0]?.handle ?? "", nameOf(person));
      for (const [handle, owner] of handles)
        for (const principal of ["ada", "bob"] as const)
          for (const conversation of ["1", "2"] as const) {
            const read = await host.results.read({ handle }, { context: { principal, conversation } });
            const isOwn = owner === `${principal}/${conversation}`;
            expect(isOwn || ("reason" in read && read.reason === "unknown-handle")).toBe(true);
          }
    },
    async close({ who: person }: { readonly who: Person }) {
      for (const [key, one] of conversations) {
        if (nameOf(JSON.parse(key) as Person) !== nameOf(person)) continue;
        conversations.delete(key);
        await one.close();
      }
    },
    async restart() {
      conversations.clear();
      await host.close();
      await start();
    },
  };
  return {
    counts,
    start,
    async run(one: Step): Promise<void> {
      if ("each" in one) for (const person of one.each) await asks[one.do](one.id, person);
      else await (steps[one.do] as (given: Step) => Promise<void>)(one);
    },
    close: () => host.close(),
  };
}

it.each([{ pool: {} }, { pool: undefined }])(
  "nothing of one user, conversation, role or program reaches another, in any order: pool $pool",
  async ({ pool }) => {
    const total = { fresh: 0, again: 0, asked: 0, unasked: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25 }), async (steps) => {
        const world = createWorld(pool);
        await world.start();
        try {
          for (const one of steps) await world.run(one);
        } finally {
          await world.close();
        }
        for (const name of ["fresh", "again", "asked", "unasked"] as const) total[name] += world.counts[name];
      }),
      { numRuns: 25 },
    );
    // All that is looked at has happened.
    expect(Math.min(...Object.values(total))).toBeGreaterThan(0);
  },
);
