// Writes 2,000 answers and is gone before anybody can have read them; the last one lacks its line feed.
import { writeSync } from "node:fs";

process.stdin.once("data", () => {
  const answers = Array.from({ length: 2000 }, (_, id) => JSON.stringify({ jsonrpc: "2.0", id, result: {} }));
  for (let rest = Buffer.from(answers.join("\n")); rest.length > 0;) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
  process.exit(0);
});
