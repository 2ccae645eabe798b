// Begins an answer that is too long and never ends its line.
process.stdin.on("data", (data) => {
  const { id } = JSON.parse(String(data));
  process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"text":"${"x".repeat(200_000)}`);
});
