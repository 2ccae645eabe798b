// A host: calls a server many times at once, closes the connection, and then has nothing more to do. Says what it cost.
import { connect } from "../../dist/index.js";

const [url, spec = "{}"] = process.argv.slice(2);
const connection = await connect({ id: "bomb", era: "legacy", type: "http", url, ...JSON.parse(spec) });
const outcomes = await Promise.all(
  Array.from({ length: 8 }, () =>
    connection.callTool("any", {}).then(
      () => "answered",
      (error) => error.code,
    ),
  ),
);
await connection.close();
const peakMb = process.resourceUsage().maxRSS / 1024;
const atClose = process.cpuUsage();
process.on("exit", () => {
  const { user, system } = process.cpuUsage(atClose);
  const busyMs = (user + system) / 1000;
  process.stdout.write(JSON.stringify({ codes: [...new Set(outcomes)], busyMs, peakMb }));
});
