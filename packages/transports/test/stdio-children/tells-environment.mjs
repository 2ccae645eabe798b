// Tells its environment, arguments and working directory.
const params = { env: process.env, argv: process.argv.slice(2), cwd: process.cwd() };
process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", method: "environment", params })}\n`);
process.stdin.resume();
