// Logs 1,500 lines to stdout, then tells that it is done.
for (let line = 1; line <= 1500; line += 1) process.stdout.write(`log line ${line}\n`);
process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", method: "done" })}\n`);
process.stdin.resume();
