// A host that may not send signals: opens the server that its arguments name and closes it in vain, once that has said something.
import { openStdio } from "../../dist/stdio/open-stdio.js";

const [program] = process.argv.slice(2);
const transport = await openStdio(
  { id: "child", transport: { kind: "stdio", command: process.execPath, args: [program] }, timeouts: { closeMs: 50 } },
  { signal: new AbortController().signal, onDiagnostic: () => {}, onLog: () => {} },
  {
    sendSignal: () => {
      throw Object.assign(new Error("kill EPERM"), { code: "EPERM" });
    },
  },
);
const ready = new Promise((resolve) => {
  transport.onmessage = resolve;
});
await transport.start();
process.stdout.write(`${transport.pid}\n`);
await ready;
await transport.close();
