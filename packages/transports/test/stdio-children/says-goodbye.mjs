// Writes to stderr and stdout when its stdin ends.
process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", method: "ready" })}\n`);
process.stdin.on("end", () => {
  process.stderr.write("saving\n");
  process.stdout.write("goodbye\n");
});
process.stdin.resume();
