// Writes to an audit log until its file may not grow, and prints how many lines were written: `node fill-file.mjs <path>`.
import { createAuditLog } from "@hostside/otel/log";
import { openAuditFile } from "@hostside/otel/node";

// A write beyond the limit of the shell fails half way, as on a full disk, and would end a process that does not listen.
process.on("SIGXFSZ", () => {});
const [, , path = ""] = process.argv;
const log = await createAuditLog({ sink: await openAuditFile({ path }) });
let written = 0;
for (let count = 0; count < 50; count += 1) {
  await log.append({ type: "note", text: "x".repeat(100) }).then(
    () => (written += 1),
    () => undefined,
  );
}
await log.close();
process.stdout.write(String(written));
