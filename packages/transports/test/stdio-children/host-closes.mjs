// A host: opens the server that its arguments name, asks it something, closes it, and then has nothing more to do.
import { openServer } from "./open-server.mjs";

const [program] = process.argv.slice(2);
const transport = await openServer(program, { timeouts: { closeMs: 200 } });
await transport.start();
process.stdout.write(`${transport.pid}\n`);
await transport.send({ jsonrpc: "2.0", id: 1, method: "echo" });
await transport.close();
