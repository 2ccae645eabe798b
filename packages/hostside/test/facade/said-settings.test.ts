import { createHost } from "hostside";
import { expect, it } from "vitest";

it.each([
  ["GREETING", "database is locked", "database is locked"],
  ["DATA_FOLDER", "/srv/ada/notes", "/srv/ada/notes"],
  ["GREETING", "k3y-0f-the-h0st", "[redacted]"],
  ["SHOP_PASSWORD", "database is locked", "[redacted]"],
])("shows what a server says of a setting, and masks a secret: %s=%s", async (name, value, shown) => {
  const program = `console.error("it says <" + process.env.${name} + ">"); process.exit(1)`;
  await using host = await createHost({
    servers: { s: { command: process.execPath, args: ["-e", program], env: { [name]: value } } },
  });
  const [status] = host.statuses();
  expect(JSON.stringify(status?.error)).toContain(`it says <${shown}>`);
});
