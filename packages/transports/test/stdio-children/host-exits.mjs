// A host: opens the server that its arguments name and calls `process.exit()` as soon as that has said something, without closing it, or (`while-closing`) before that is done.
import { openServer } from "./open-server.mjs";

const [program, how] = process.argv.slice(2);
const transport = await openServer(program);
process.stdout.write(`${transport.pid}\n`);
transport.onmessage = () => {
  if (how === "while-closing") void transport.close();
  process.exit(0);
};
await transport.start();
await transport.send({ jsonrpc: "2.0", id: 1, method: "echo" });
