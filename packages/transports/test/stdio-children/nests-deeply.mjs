// Answers each request with a result that is nested 90,000 levels deep.
process.stdin.on("data", (data) => {
  const { id } = JSON.parse(String(data));
  process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"deep":${"[".repeat(90_000)}${"]".repeat(90_000)}}}\n`);
});
