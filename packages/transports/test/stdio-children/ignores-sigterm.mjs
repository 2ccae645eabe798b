// Cares neither for the end of its stdin nor for SIGTERM.
process.on("SIGTERM", () => {});
setInterval(() => {}, 1000);
process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", method: "ready" })}\n`);
