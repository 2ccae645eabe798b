// Ends with code 1 as soon as something is written to it, without an answer.
process.stdin.once("data", () => process.exit(1));
