// A host: opens the server that its arguments name and calls `process.exit()` without closing it, as soon as that has said something.
import { openServer } from "./open-server.mjs";

const [program] = process.argv.slice(2);
const transport = await openServer(program);
process.stdout.write(`${transport.pid}\n`);
transport.onmessage = () => process.exit(0);
await transport.start();
await transport.send({ jsonrpc: "2.0", id: 1, method: "echo" });
