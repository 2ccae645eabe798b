// The hosts of docs/explanation/host-results.md, in the order of its columns, and what is known of them by looking.
/** @type {(file: string) => (node: string) => readonly string[]} */
const peer = (file) => (node) => [node, `conformance/peers/${file}.mjs`];

// What hosts over the official clients have in common.
const grandchild = "it ends the process that it started, and not those that this one started.";
const session =
  "on HTTP 404 it reports the error, and the next request has the lost session again: to begin a new one is left to whoever builds on it.";
const echo = "the text of its error holds the body of the server's answer, and with it what the server echoes.";
const again =
  "when the connection ends amid a call, it connects again and makes the call once more, though the first may have run.";
const ofTheOfficialClient = {
  "survive/close-with-grandchild": grandchild,
  "recover/session-expired": session,
  "hostile/echoed-credentials": echo,
};
const unbounded = "nothing bounds what a small one unpacks to.";
const unpacks = `it reads an answer to its end before anybody looks at it, and ${unbounded}`;
const unpacksBelow = `the official client below it takes an answer with \`response.json()\`, which reads it to its end; ${unbounded}`;
const unpacksForATime = `${unpacksBelow} It grew less than the others, because it has a time limit for each server, five seconds here, which ended the call before all was unpacked: with a limit of 100 seconds it grew further, to the end of the call's own time.`;
const noLimit =
  "connecting has no time limit that can be set, but the 60 seconds of the official client for each request.";

/**
 * @typedef {object} ComparedHost
 * @property {string} id
 * @property {string} column
 * @property {string} about What it is meant to be.
 * @property {(node: string) => readonly string[]} command
 * @property {boolean} [listsAtEachTurn] Its agent lists tools at each turn, whatever a server announces.
 * @property {Readonly<Record<string, string>>} [causes] Why a scenario fails, by its name, as its evidence and the host's own code show.
 */

/** @type {readonly ComparedHost[]} */
export const comparedHosts = [
  {
    id: "create-host",
    column: "Hostside",
    about: "A host: `createHost()` with a rule of a policy, and one conversation.",
    command: peer("create-host"),
  },
  {
    id: "serve",
    column: "its serve",
    about:
      "`hostside serve --expose all` in front of all servers, in a process of its own, with the provider as its client. It tells no client the names that servers use.",
    command: peer("serve"),
    causes: {
      "recover/two-replicas":
        "it has two connections to a server, one for all clients and one for each client that can be asked, and both begin a new session.",
    },
  },
  {
    id: "hostside",
    column: "its provider",
    about: "`@hostside/provider` over `@hostside/transports`, with their defaults.",
    command: (node) => [node, "conformance/drivers/hostside-driver.js"],
  },
  {
    id: "sdk-v2",
    column: "SDK v2",
    about: "The official client, one per server: a part to build hosts from.",
    command: peer("sdk-v2"),
    causes: {
      "survive/decompression-bomb": unpacks,
      "survive/hang-at-start-blocks-nobody":
        "closing a client that still probes for the era of its server does not end the attempt to connect.",
      ...ofTheOfficialClient,
    },
  },
  {
    id: "sdk-v1",
    column: "SDK v1",
    about: "The first line of the official client, one per server: a part to build hosts from.",
    command: peer("sdk-v1"),
    causes: {
      "survive/decompression-bomb": unpacks,
      ...ofTheOfficialClient,
    },
  },
  {
    id: "ai-sdk",
    column: "AI SDK",
    about: "A client of its own for the AI SDK, one per server, made for a request and closed after it.",
    command: peer("ai-sdk"),
    listsAtEachTurn: true,
    causes: {
      "survive/decompression-bomb": unpacks,
      "survive/close-despite-stubbornness":
        "closing sends SIGTERM and looks no further: a server that ignores it lives on.",
      "survive/close-with-grandchild":
        "closing sends SIGTERM to the process that it started, and not to those that this one started.",
      "recover/session-expired":
        "on HTTP 404 it drops the session and goes on without one, which the server refuses: to begin a new one is left to whoever listens to `onSessionExpired`.",
      "hostile/echoed-credentials": echo,
    },
  },
  {
    id: "openai-agents",
    column: "OpenAI Agents",
    about:
      "The servers of an agent, one object each, over the official client. An agent lists their tools at each turn.",
    command: peer("openai-agents"),
    listsAtEachTurn: true,
    causes: {
      "survive/decompression-bomb": unpacksBelow,
      "survive/hang-at-start-blocks-nobody":
        "over HTTP, closing a server that still connects has nothing to close yet: the attempt goes on until its own time limit.",
      ...ofTheOfficialClient,
    },
  },
  {
    id: "mastra",
    column: "Mastra",
    about:
      "One client for all servers of an agent, over the official client. It connects again, and repeats what failed.",
    command: peer("mastra"),
    listsAtEachTurn: true,
    causes: {
      "survive/decompression-bomb": unpacksForATime,
      "survive/hang-at-start-blocks-nobody":
        "it asks all servers for their tools at once, and answers when the last one is done or over its time limit.",
      "survive/close-with-grandchild": grandchild,
      "recover/crash-during-call": again,
      "recover/reset-during-call": again,
      "recover/session-expired":
        "it connects again after errors that it knows by their texts, and that of the official client for HTTP 404 is not among them.",
      "hostile/echoed-credentials": echo,
    },
  },
  {
    id: "mcp-use",
    column: "mcp-use",
    about:
      "One client over sessions, one per server, over the official client of the first line. Version 2 has its client in a package of its own and is not in the table yet.",
    command: peer("mcp-use"),
    causes: {
      "survive/decompression-bomb": unpacksBelow,
      "survive/hang-at-start-blocks-nobody": "a session that is still being opened cannot be closed.",
      "survive/hang-at-start-ends": noLimit,
      ...ofTheOfficialClient,
      "consistent/all-pages": "it reads the first page of a listing alone.",
    },
  },
  {
    id: "langchain",
    column: "LangChain",
    about:
      "One client for all servers, over the official client of the first line; its tools are LangChain's. Restarts and reconnects are switched on.",
    command: peer("langchain"),
    listsAtEachTurn: true,
    causes: {
      "survive/decompression-bomb": unpacksForATime,
      "survive/hang-at-start-blocks-nobody": "it connects to its servers one after the other.",
      "survive/hang-at-start-ends": noLimit,
      ...ofTheOfficialClient,
    },
  },
  {
    id: "mcporter",
    column: "mcporter",
    about:
      "A runtime for scripts and command lines, over the official client of the first line. It connects when it is first asked.",
    command: peer("mcporter"),
    listsAtEachTurn: true,
    causes: {
      "survive/decompression-bomb": unpacksBelow,
      "survive/hang-at-start-blocks-nobody": "closing waits for connections that are still being opened.",
      "survive/hang-at-start-ends": noLimit,
      "survive/close-with-grandchild":
        "it ends the process that it started; one whose parent is gone by then is not among those that it looks for.",
      "hostile/echoed-credentials": echo,
    },
  },
  {
    id: "python",
    column: "Python",
    about: "A small host of this repository, naive on purpose: its driver shows what the kit finds in a first version.",
    command: () => ["python3", "conformance/drivers/python-driver.py"],
  },
];
