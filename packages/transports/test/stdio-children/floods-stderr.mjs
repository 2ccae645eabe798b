// Writes 20 MB to stderr before it answers each request.
const line = `${"debug ".repeat(20)}\n`;
process.stdin.on("data", (data) => {
  const { id } = JSON.parse(String(data));
  process.stderr.write(line.repeat(Math.ceil((20 * 1024 * 1024) / line.length)), () => {
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: {} })}\n`);
  });
});
