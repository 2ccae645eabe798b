// A host: opens the server that its arguments name, asks it something, closes it, and then has nothing more to do.
import { openStdio } from "../../dist/stdio/open-stdio.js";

const [program] = process.argv.slice(2);
const transport = await openStdio(
  { id: "child", transport: { kind: "stdio", command: process.execPath, args: [program] }, timeouts: { closeMs: 200 } },
  { signal: new AbortController().signal, onDiagnostic: () => {}, onLog: () => {} },
);
await transport.start();
process.stdout.write(`${transport.pid}\n`);
await transport.send({ jsonrpc: "2.0", id: 1, method: "echo" });
await transport.close();
