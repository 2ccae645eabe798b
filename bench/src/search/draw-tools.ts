// Draws the tools that queries are to be written for, in parts, and lists all of the others beside
// them, for whoever writes the queries has to name every tool that would do. The second and the
// third part were for confirming what was chosen with the first: none of their servers was one that
// the index had been tuned with. The fourth confirms what was chosen with all three: tools of the
// same servers that none of them has. The same seed draws the same tools.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRandom } from "./seeded-random.ts";
import { readPublishedSet, type ToolSetServer } from "./tool-set.ts";

const [outDir = ".", seedText = "1"] = process.argv.slice(2);
const maxPerServer = 4;
const sizes = { develop: 110, confirm: 90, confirmAgain: 125, confirmFresh: 125 };
const confirmingServers = 28;

const random = createRandom(Number(seedText));
const servers = readPublishedSet();
const neverTuned = shuffle(servers.filter(({ source }) => source === "listed"));
const confirming = new Set(neverTuned.slice(0, confirmingServers));

mkdirSync(outDir, { recursive: true });
write("all-tools.json", servers.flatMap(shortTools));
const taken = new Set<string>();
const others = servers.filter((server) => !confirming.has(server));
take("tools-draw.json", draw(others, sizes.develop));
take("tools-draw-2.json", draw([...confirming], sizes.confirm));
take("tools-draw-3.json", draw([...confirming].map(untaken), sizes.confirmAgain, maxPerServer + 2));
take("tools-draw-4.json", draw([...confirming].map(untaken), sizes.confirmFresh, maxPerServer + 4));

/** Writes one part. */
function take(file: string, drawn: readonly DrawnTool[]): void {
  for (const { id } of drawn) taken.add(id);
  write(file, drawn);
}

/** A server with the tools of it that no part has yet. */
function untaken(server: ToolSetServer): ToolSetServer {
  return { ...server, tools: server.tools.filter((tool) => !taken.has(idOf(server, tool))) };
}

/** One tool of each server in turn, until there are `count` or each server has given its most. */
function draw(from: readonly ToolSetServer[], count: number, most = maxPerServer): readonly DrawnTool[] {
  const hands = shuffle(from).map((server) => ({ server, tools: shuffle(server.tools).slice(0, most) }));
  const drawn = Array.from({ length: most }, (_, turn) =>
    hands.flatMap(({ server, tools }) => (tools[turn] === undefined ? [] : [describe(server, tools[turn])])),
  );
  return drawn.flat().slice(0, count);
}

type Tool = ToolSetServer["tools"][number];
interface DrawnTool {
  readonly id: string;
  readonly server: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly parameters: readonly string[];
}

function describe(server: ToolSetServer, tool: Tool): DrawnTool {
  const properties = tool.inputSchema["properties"];
  return {
    id: idOf(server, tool),
    server: server.group.title,
    title: tool.title ?? tool.annotations?.title,
    description: tool.description,
    parameters: typeof properties === "object" && properties !== null ? Object.keys(properties) : [],
  };
}

function shortTools(server: ToolSetServer): readonly object[] {
  return server.tools.map((tool) => ({
    id: idOf(server, tool),
    title: tool.title ?? tool.annotations?.title,
    description: tool.description.replaceAll(/\s+/g, " ").trim().slice(0, 200),
  }));
}

function idOf({ id }: ToolSetServer, { name, origin }: Tool): string {
  return `${id}/${origin?.toolName ?? name}`;
}

/** One entry per line, to be searched with grep. */
function write(file: string, entries: readonly object[]): void {
  writeFileSync(join(outDir, file), `[\n${entries.map((entry) => JSON.stringify(entry)).join(",\n")}\n]\n`);
  process.stdout.write(`${file}: ${entries.length} tools\n`);
}

function shuffle<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}
