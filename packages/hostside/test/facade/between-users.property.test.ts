import type { AccountOwner, OAuth, SignedIn } from "@hostside/auth";
import {
  createMemoryLock,
  createMemoryStore,
  HostsideError,
  isHostsideError,
  type ServerSharing,
  type ToolOutcome,
} from "@hostside/core";
import { createEvent } from "@hostside/core/implement";
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
  readonly sharing: ServerSharing;
}

/**
 * Servers by who shares them at first; that of `file` is edited in its file, the others in code.
 * That of `signed` asks for a sign-in.
 */
const sharings = {
  all: "shared",
  headers: "shared",
  file: "principal",
  own: "conversation",
  signed: "principal",
} as const satisfies Record<string, ServerSharing>;
type ServerId = keyof typeof sharings;
const serverIds = Object.keys(sharings) as readonly ServerId[];

type Step =
  | { readonly do: "edit"; readonly id: ServerId; readonly server: Server }
  | { readonly do: "remove"; readonly id: ServerId }
  | { readonly do: "sign-in" | "sign-out"; readonly principal: Person["principal"] | undefined }
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
const id = fc.constantFrom(...serverIds, "signed" as const, "signed" as const);
const server: fc.Arbitrary<Server> = fc.record({
  command: fc.constantFrom("one", "two"),
  token: fc.constantFrom("x", "y"),
  passContext: fc.constantFrom(false, false, true),
  sharing: fc.constantFrom("shared", "principal", "conversation"),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("edit"), id, server }) },
  { weight: 12, arbitrary: fc.record({ do: fc.constantFrom("call", "read", "note"), id, each }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("keep", "close"), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("remove"), id }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom("sign-in", "sign-in", "sign-in", "sign-out"),
      principal: fc.constantFrom("ada", "bob", undefined),
    }),
  },
);

const first: Omit<Server, "sharing"> = { command: "one", token: "x", passContext: false };
const nameOf = ({ principal, id: conversation }: Person): string => `${principal}/${conversation}`;
// What an edit has made of a tool since it was selected, or what is on its way.
const passing = new Set(["registration_replaced", "tool_changed", "tool_removed", "connection_closed"]);
// A server that is gone or has no sign-in, and a conversation from before there was its sharing.
const absent = new Set(["unknown_tool", "unknown_server", "auth_required", "server_removed"]);
const urlOf = (command: Server["command"]): string => `https://${command}.example/`;

/** Who is signed in, without any authorization server. */
function createAccounts() {
  const accounts = new Map<string | undefined, number>();
  const events = { signedIn: createEvent<SignedIn>(), signedOut: createEvent<AccountOwner>() };
  let last = 0;
  const oauth = {
    authorize: async () => undefined,
    authProvider: () => undefined,
    onSignedIn: events.signedIn.on,
    onSignedOut: events.signedOut.on,
    reload: async () => undefined,
  } as unknown as OAuth;
  return {
    oauth,
    of: (principal: string | undefined) => accounts.get(principal),
    signIn(principal: string | undefined): void {
      accounts.set(principal, (last += 1));
      events.signedIn.emit({ serverId: "signed", principal } as SignedIn);
    },
    signOut(principal: string | undefined): void {
      if (accounts.delete(principal)) events.signedOut.emit({ serverId: "signed", principal });
    },
  };
}

/** A host with servers that tell whom they answer, and what each of its users may hear. */
function createWorld(pool: object | undefined) {
  const folder = createTemporaryFolder();
  const state = { store: createMemoryStore(), lock: createMemoryLock() };
  const servers = new Map<ServerId, Server>(serverIds.map((one) => [one, { ...first, sharing: sharings[one] }]));
  const accounts = createAccounts();
  const conversations = new Map<string, Conversation>();
  const handles = new Map<string, string>();
  const approved = new Set<string>();
  /** To whom each answer was given first. */
  const heard = new Map<number, Person>();
  const counts = { fresh: 0, again: 0, asked: 0, unasked: 0, signed: 0, absent: 0 };
  const connector = createTellingConnector({
    headersFor: ["headers"],
    accountOf: accounts.of,
    refuse: ({ id: serverId }, principal) =>
      serverId === "signed" && accounts.of(principal) === undefined
        ? new HostsideError("nobody is signed in", { code: "auth_required", serverId, outcome: "not-sent" })
        : undefined,
  });
  let asked = false;
  let host: Host;

  const entryOf = (serverId: ServerId, { command, token, passContext, sharing }: Server): HostServerEntry => {
    const common = { passContext, sharing, tools: { tell: { effect: "pure" } } } as const;
    return serverId === "signed"
      ? { url: urlOf(command), headers: { "x-tenant": token }, ...common }
      : { command, env: { TOKEN: token }, ...common };
  };
  const entriesOf = (isMeant: (serverId: ServerId) => boolean): Record<string, HostServerEntry> =>
    Object.fromEntries(
      [...servers].flatMap(([one, given]) => (isMeant(one) ? [[one, entryOf(one, given)] as const] : [])),
    );
  const sharingOf = (serverId: ServerId): ServerSharing | undefined =>
    pool === undefined ? "shared" : servers.get(serverId)?.sharing;
  const writeFile = (): string =>
    folder.write("hostside.json", {
      servers: entriesOf((one) => one === "file"),
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
      auth: accounts.oauth,
      servers: entriesOf((one) => one !== "file"),
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
        if (isHostsideError(error) && absent.has(error.code)) {
          counts.absent += 1;
          return undefined;
        }
        if (!isHostsideError(error) || !passing.has(error.code)) throw error;
      }
    }
    return undefined;
  };
  /** Holds an answer against what the person may hear. */
  const check = (serverId: ServerId, person: Person, answer: TellingAnswer): void => {
    const server = servers.get(serverId);
    const sharing = sharingOf(serverId);
    if (server === undefined) throw new Error(`${serverId} was removed, and answers`);
    const { command, token, passContext } = server;
    const isSigned = serverId === "signed";
    const made = isSigned ? { program: urlOf(command) } : { program: command, token };
    expect(answer).toMatchObject({ serverId, ...made });
    const whose = sharing === "shared" ? undefined : person.principal;
    expect(answer.principal).toBe(whose);
    counts.signed += isSigned ? 1 : 0;
    expect(answer.account).toBe(isSigned ? accounts.of(whose) : undefined);
    const others = answer.notes.filter((note) => note !== JSON.stringify(nameOf(person)));
    expect(sharing === "conversation" ? others : []).toEqual([]);
    const before = heard.get(answer.answer);
    heard.set(answer.answer, before ?? person);
    counts[before === undefined ? "fresh" : "again"] += 1;
    const isOwn = server.sharing === "conversation";
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
      const grant = `${person.principal} ${serverId} ${servers.get(serverId)?.command}`;
      asked = false;
      const outcome = await call(person, `mcp_${serverId}_note`);
      if (outcome !== undefined) counts[asked ? "asked" : "unasked"] += 1;
      expect(outcome === undefined || asked || approved.has(grant)).toBe(true);
      if (asked) approved.add(grant);
    },
    async read(serverId: ServerId, person: Person) {
      if (sharingOf(serverId) !== "shared") return;
      const { principal, id: conversation, role } = person;
      const context = { principal, conversation, role };
      try {
        const { contents } = await host.resources.read({ serverId, uri: "tell:it" }, { context });
        check(serverId, person, JSON.parse(contents[0]?.text ?? "") as TellingAnswer);
      } catch (error) {
        if (!isHostsideError(error) || !absent.has(error.code)) throw error;
      }
    },
  };
  const steps = {
    async edit({ id: serverId, server: next }: Extract<Step, { do: "edit" }>) {
      const before = servers.get(serverId);
      servers.set(serverId, next);
      if (serverId !== "file") {
        const isNew = before === undefined;
        try {
          await host.servers[isNew ? "add" : "update"](serverId, entryOf(serverId, next));
        } catch (error) {
          // Without a sign-in, an update stands, and what is new is taken back.
          if (!isHostsideError(error, "auth_required")) throw error;
          if (isNew) servers.delete(serverId);
        }
        return;
      }
      if (JSON.stringify(next) === JSON.stringify(before)) return;
      const applied = new Promise((resolve) => host.onConfigReport(resolve));
      writeFile();
      await applied;
    },
    async remove({ id: serverId }: { readonly id: ServerId }) {
      if (serverId === "file" || !servers.delete(serverId)) return;
      await host.servers.remove(serverId);
    },
    async "sign-in"({ principal }: { readonly principal: string | undefined }) {
      accounts.signIn(principal);
    },
    async "sign-out"({ principal }: { readonly principal: string | undefined }) {
      accounts.signOut(principal);
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
    const total = { fresh: 0, again: 0, asked: 0, unasked: 0, signed: 0, absent: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 30 }), async (steps) => {
        const world = createWorld(pool);
        await world.start();
        try {
          for (const one of steps) await world.run(one);
        } finally {
          await world.close();
        }
        for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += world.counts[name];
      }),
      { numRuns: 25 },
    );
    // All that is looked at has happened.
    expect(Math.min(...Object.values(total))).toBeGreaterThan(0);
  },
);
