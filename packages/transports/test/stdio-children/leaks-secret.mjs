// Writes the variable API_KEY wherever it can, partly in colour, and ends with code 1.
const key = process.env.API_KEY;
process.stderr.write(`using key ${key}\n`);
process.stderr.write(`using key ${key.slice(0, 4)}\u001B[31m${key.slice(4)}\u001B[0m\n`);
process.stdout.write(`connected with ${key}\n`);
process.stdin.once("data", () => process.exit(1));
