import { createAnswer } from "./answer.ts";

// Usage: node stdio-server.js [tools] [pageSize] [outputSchemas: 0|1] [delayMs] Newline-delimited
// JSON by hand: the server must cost next to nothing beside the host that is measured.
const [tools = "1", pageSize = "0", outputSchemas = "0", delayMs = "0"] = process.argv.slice(2);

function serve(): void {
  const answer = createAnswer({
    tools: Number(tools),
    pageSize: Number(pageSize),
    outputSchemas: outputSchemas === "1",
  });
  let rest = "";
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    let out = "";
    for (const line of lines) {
      const text = line === "" ? undefined : answer(JSON.parse(line));
      if (text !== undefined) out += `${text}\n`;
    }
    if (out !== "") process.stdout.write(out);
  });
  process.stdin.on("end", () => process.exit(0));
}

if (delayMs === "0") serve();
else setTimeout(serve, Number(delayMs));
