// Writes a line that never ends.
const block = "x".repeat(1024 * 1024);
const write = () => process.stdout.write(block, write);
process.stdin.once("data", write);
