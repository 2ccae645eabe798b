// Writes 2 MB to stdout when its stdin ends, and only then ends itself.
process.stdin.on("end", () => process.stdout.write(`${"x".repeat(2 * 1024 * 1024)}\n`)).resume();
