// Never reads its stdin and is gone, with code 4, when it gets SIGUSR2.
process.on("SIGUSR2", () => process.exit(4));
setInterval(() => {}, 1000);
process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", method: "ready" })}\n`);
