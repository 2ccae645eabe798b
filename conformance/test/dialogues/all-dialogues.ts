import type { FaultScript } from "@hostside/fixtures";
import { latch, type Talker } from "./talker.ts";
import type { FaultStage, VenueName } from "./venues.ts";

/** One dialogue, the same for every client. */
export interface Dialogue {
  readonly id: string;
  /** What happens in it, for the page. */
  readonly about: string;
  /** The servers that it is held with. */
  readonly over: readonly VenueName[];
  /** What the fault server of the venues `script-…` does. */
  readonly script?: FaultScript;
  readonly answersQuestions?: boolean;
  /** Runs between connecting and closing. */
  readonly talk: (talker: Talker, stage: FaultStage) => Promise<void>;
}

const fixtures: readonly VenueName[] = ["fixture-stdio", "fixture-http", "fixture-stdio-2026", "fixture-http-2026"];
const scripted: readonly VenueName[] = ["script-stdio", "script-http", "script-stdio-2026", "script-http-2026"];

const tool = (name: string) => ({ name, description: name, inputSchema: { type: "object" } });
const holdsCalls: FaultScript = {
  rules: [{ on: "tools/call", where: { "params.name": "append" }, do: [{ type: "execute" }] }],
};

/** The twelve. */
export const dialogues: readonly Dialogue[] = [
  {
    id: "handshake",
    about: "connects and closes",
    over: [...fixtures, "everything-stdio", "everything-http", "filesystem", "memory"],
    talk: async () => {},
  },
  {
    id: "pages",
    about: "lists five tools on three pages",
    over: scripted,
    script: { pageSize: 2, tools: ["a", "b", "c", "d", "e"].map(tool) },
    talk: async (talker) => mustBe(await talker.listTools(), ["a", "b", "c", "d", "e"]),
  },
  {
    id: "call",
    about: "lists the tools and calls one",
    over: [...fixtures, "everything-stdio", "everything-http", "filesystem", "memory"],
    async talk(talker) {
      const tools = await talker.listTools();
      if (tools.includes("echo")) await talker.callTool("echo", { text: "hello", message: "hello" });
      else if (tools.includes("read_graph")) await talker.callTool("read_graph", {});
      else await talker.callTool("list_allowed_directories", {});
    },
  },
  {
    id: "failing-tool",
    about: "calls a tool that fails with isError",
    over: [...fixtures, "filesystem"],
    async talk(talker) {
      const tools = await talker.listTools();
      const { isError } = tools.includes("fail")
        ? await talker.callTool("fail", {})
        : await talker.callTool("read_text_file", { path: "not-there.txt" });
      mustBe(isError, true);
    },
  },
  {
    id: "structured-content",
    about: "calls a tool with an output schema",
    over: [...fixtures, "everything-stdio", "everything-http"],
    async talk(talker) {
      const tools = await talker.listTools();
      const { structuredContent } = tools.includes("describe-number")
        ? await talker.callTool("describe-number", { value: 7 })
        : await talker.callTool("get-structured-content", { location: "Chicago" });
      mustBe(typeof structuredContent, "object");
    },
  },
  {
    id: "progress",
    about: "asks a slow tool for its progress",
    over: fixtures,
    async talk(talker) {
      // Whether a client hands on what comes together with the answer is its own affair; what is
      // compared is the wire.
      await talker.callTool("slow", { steps: 3, stepMs: 20 }, { onProgress: () => {} });
    },
  },
  {
    id: "given-up",
    about: "gives one call up, lets another run into its time, then calls again",
    over: scripted,
    script: holdsCalls,
    async talk(talker, stage) {
      const cancel = new AbortController();
      const first = talker.callTool("append", { text: "given up" }, { signal: cancel.signal });
      const settled = fails(first);
      await stage.executed(1);
      cancel.abort();
      await settled;
      await stage.cancelled(1);
      await fails(talker.callTool("append", { text: "too slow" }, { timeoutMs: 300 }));
      await stage.cancelled(2);
      await talker.callTool("echo", { text: "hello" });
    },
  },
  {
    id: "tools-change",
    about: "adds a tool, hears that the tools changed, and lists again",
    over: fixtures,
    async talk(talker) {
      await talker.listTools();
      await talker.callTool("add-tool", { name: "late" });
      await talker.toolsChanged();
      if (!(await talker.listTools()).includes("late")) throw new Error("the tool is not listed");
      await talker.callTool("remove-tool", { name: "late" });
    },
  },
  {
    id: "question",
    about: "calls a tool that asks the user something",
    over: fixtures,
    answersQuestions: true,
    async talk(talker) {
      const { content } = await talker.callTool("ask", { question: "What is the answer?" });
      if (!JSON.stringify(content).includes("accept: forty-two")) throw new Error(JSON.stringify(content));
    },
  },
  {
    id: "ping",
    about: "is asked by the server whether it is there",
    over: ["script-stdio", "script-http"],
    script: {
      rules: [
        {
          on: "tools/call",
          do: [{ type: "send", to: "answer", message: { id: "there?", method: "ping" } }, { type: "proceed" }],
        },
      ],
    },
    async talk(talker, stage) {
      await talker.callTool("echo", { text: "hello" });
      await stage.answered(1);
    },
  },
  {
    id: "resources-and-prompts",
    about: "sends requests that are not about tools",
    over: ["everything-stdio", "everything-http"],
    async talk(talker) {
      await talker.request("resources/templates/list", {});
      await talker.request("prompts/list", {});
      await talker.request("prompts/get", { name: "simple-prompt" });
    },
  },
  {
    id: "close-during-call",
    about: "is closed while a call is under way",
    over: scripted,
    script: holdsCalls,
    async talk(talker, stage) {
      const left = latch();
      talker.callTool("append", { text: "left behind" }).then(left.open, left.open);
      await stage.executed(1);
    },
  },
];

async function fails(promise: Promise<unknown>): Promise<void> {
  const worked = await promise.then(
    () => true,
    () => false,
  );
  if (worked) throw new Error("a call that was to be given up worked");
}

function mustBe(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected))
    throw new Error(`${JSON.stringify(actual)} is not ${JSON.stringify(expected)}`);
}
