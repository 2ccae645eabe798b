// Prints a banner and worse between honest messages: garbage JSON, JSON that is no object, blank lines, CRLF, a byte order mark.
const message = (method) => JSON.stringify({ jsonrpc: "2.0", method });
process.stdout.write("Welcome to the \u001B[32mserver\u001B[0m!\n");
process.stdout.write(`${message("first")}\r\n`);
process.stdout.write('{"jsonrpc": "2.0", oops}\n\n   \n\r\n[1,2]\nnull\n');
process.stdout.write(`\uFEFF${message("second")}\n`);
process.stdout.write(`[${message("third")},42,${message("fourth")}]\n`);
process.stdin.resume();
