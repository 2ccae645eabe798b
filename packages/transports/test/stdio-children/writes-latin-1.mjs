// Answers in ISO 8859-1.
process.stdin.on("data", (data) => {
  const { id } = JSON.parse(String(data));
  process.stdout.write(Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":{"text":"gr\u00fcezi"}}\n`, "latin1"));
});
