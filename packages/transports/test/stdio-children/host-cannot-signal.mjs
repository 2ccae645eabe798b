// A host that may not send signals: opens the server that its arguments name and closes it in vain.
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
await transport.start();
process.stdout.write(`${transport.pid}\n`);
await transport.close();
