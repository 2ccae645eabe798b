import { createServer } from "node:http";
import { createAnswer } from "./answer.ts";

// Usage: node http-server.js [tools] [pageSize] [outputSchemas: 0|1] [events: 0|1]; prints its
// port. Streamable HTTP with JSON answers, or each as a stream of one event, and no sessions, the
// cheapest that the specification allows.
const [tools = "1", pageSize = "0", outputSchemas = "0", events = "0"] = process.argv.slice(2);
const answer = createAnswer({ tools: Number(tools), pageSize: Number(pageSize), outputSchemas: outputSchemas === "1" });

const server = createServer((request, response) => {
  if (request.method !== "POST") {
    response.writeHead(405).end();
    return;
  }
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const text = answer(JSON.parse(Buffer.concat(chunks).toString("utf8")));
    if (text === undefined) response.writeHead(202).end();
    else if (events === "1")
      response.writeHead(200, { "content-type": "text/event-stream" }).end(`event: message\ndata: ${text}\n\n`);
    else
      response
        .writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
        .end(text);
  });
});
server.keepAliveTimeout = 60_000;
// A thousand hosts may connect at once; whoever finds the queue full would wait a second before
// trying again.
server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () => {
  const address = server.address();
  process.stdout.write(`${typeof address === "object" ? address?.port : ""}\n`);
});
process.stdin.on("end", () => process.exit(0)).resume();
