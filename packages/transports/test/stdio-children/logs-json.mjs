// Logs to stdout, line by line as JSON, between messages.
const write = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
write({ level: "info", msg: "listening" });
write({ jsonrpc: "2.0", method: "first" });
write({ level: "error", error: { code: "ENOENT" } });
write({ id: 7, msg: "an answer, though a broken one" });
process.stdin.resume();
