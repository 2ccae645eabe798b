// One of several processes that share a user's state: counts up so often, each time by reading and writing what is kept, alone.
import { once } from "node:events";
import { userState } from "hostside/auth";

const [home = "", times = ""] = process.argv.slice(2);
const { store, lock } = userState({ env: {}, home, platform: "linux" });
process.send?.("ready");
await once(process, "message");
for (let time = 0; time < Number(times); time += 1) {
  await lock.withLock("count", 10_000, async () => {
    const count = await store.get("count");
    await store.set("count", (typeof count === "number" ? count : 0) + 1);
  });
}
process.disconnect?.();
