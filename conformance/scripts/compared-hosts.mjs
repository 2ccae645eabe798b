// The hosts of docs/host-results.md, in the order of its columns, and what is known of them by looking.
/** @type {(file: string) => (node: string) => readonly string[]} */
const peer = (file) => (node) => [node, `conformance/peers/${file}.mjs`];

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
    id: "toolport",
    column: "Toolport",
    about: "A host: `@toolport/provider` over `@toolport/transports`, with their defaults.",
    command: (node) => [node, "conformance/drivers/toolport-driver.js"],
  },
  {
    id: "sdk-v2",
    column: "SDK v2",
    about: "The official client, one per server: a part to build hosts from.",
    command: (node) => [node, "conformance/drivers/sdk-driver.js"],
  },
  {
    id: "sdk-v1",
    column: "SDK v1",
    about: "The first line of the official client, one per server: a part to build hosts from.",
    command: peer("sdk-v1"),
  },
  {
    id: "ai-sdk",
    column: "AI SDK",
    about: "A client of its own for the AI SDK, one per server, made for a request and closed after it.",
    command: peer("ai-sdk"),
    listsAtEachTurn: true,
  },
  {
    id: "openai-agents",
    column: "OpenAI Agents",
    about:
      "The servers of an agent, one object each, over the official client. An agent lists their tools at each turn.",
    command: peer("openai-agents"),
    listsAtEachTurn: true,
  },
  {
    id: "mastra",
    column: "Mastra",
    about:
      "One client for all servers of an agent, over the official client. It connects again, and repeats what failed.",
    command: peer("mastra"),
    listsAtEachTurn: true,
  },
  {
    id: "mcp-use",
    column: "mcp-use",
    about:
      "One client over sessions, one per server, over the official client of the first line. Version 2 has its client in a package of its own and is not in the table yet.",
    command: peer("mcp-use"),
  },
  {
    id: "langchain",
    column: "LangChain",
    about:
      "One client for all servers, over the official client of the first line; its tools are LangChain's. Restarts and reconnects are switched on.",
    command: peer("langchain"),
    listsAtEachTurn: true,
  },
  {
    id: "mcporter",
    column: "mcporter",
    about:
      "A runtime for scripts and command lines, over the official client of the first line. It connects when it is first asked.",
    command: peer("mcporter"),
    listsAtEachTurn: true,
  },
  {
    id: "python",
    column: "Python",
    about: "A small host of this repository, naive on purpose: its driver shows what the kit finds in a first version.",
    command: () => ["python3", "conformance/drivers/python-driver.py"],
  },
];
