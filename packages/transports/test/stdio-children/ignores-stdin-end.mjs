// Does not care for the end of its stdin; SIGTERM ends it.
setInterval(() => {}, 1000);
process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", method: "ready" })}\n`);
