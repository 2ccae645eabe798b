// Writes 2,000 answers and is gone before anybody can have read them; the last one lacks its line feed. With the argument "batch", a line of 4 MB that
// nobody reads comes before them.
import { writeSync } from "node:fs";

process.stdin.once("data", () => {
  const answers = Array.from({ length: 2000 }, (_, id) => JSON.stringify({ jsonrpc: "2.0", id, result: {} }));
  if (process.argv[2] === "batch") answers.unshift(`[${"{},".repeat(1_400_000)}{}]`);
  for (let rest = Buffer.from(answers.join("\n")); rest.length > 0;) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
  process.exit(0);
});
