// A host that connects to the server that its arguments name, and closes it when a signal asks it to end.
import { closeOnSignals } from "../../dist/index.js";
import { openServer } from "./open-server.mjs";

const [program] = process.argv.slice(2);
const transport = await openServer(program, { timeouts: { closeMs: 200 } });
closeOnSignals(() => transport.close());
transport.onmessage = () => {
  process.stdout.write(`${transport.pid}\n`, () => process.kill(process.pid, "SIGTERM"));
};
await transport.start();
await transport.send({ jsonrpc: "2.0", id: 1, method: "echo" });
