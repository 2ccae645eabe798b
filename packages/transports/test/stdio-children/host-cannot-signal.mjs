// A host that may not send signals: opens the server that its arguments name and closes it in vain, once that has said something.
import { openServer } from "./open-server.mjs";

const [program] = process.argv.slice(2);
const transport = await openServer(program, {
  timeouts: { closeMs: 50 },
  effects: {
    sendSignal: () => {
      throw Object.assign(new Error("kill EPERM"), { code: "EPERM" });
    },
  },
});
const ready = new Promise((resolve) => {
  transport.onmessage = resolve;
});
await transport.start();
process.stdout.write(`${transport.pid}\n`);
await ready;
await transport.close();
