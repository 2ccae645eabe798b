// Writes one message byte by byte, with characters of two, three and four bytes in it.
const bytes = Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", method: "äöü € 𝄞 日本語" })}\n`);
for (const byte of bytes) await new Promise((resolve) => process.stdout.write(Buffer.from([byte]), resolve));
process.stdin.resume();
