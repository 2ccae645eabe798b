// One of eight replicas of a host, with a policy over the state and the limits that it shares with the others. Started by eight-replicas.proof.ts, which asks
// it to do something by a message, and gets what came of it by another.
import pg from "pg";
import { createClient } from "redis";
import { createPolicy } from "@hostside/policy";
import { createPostgresState } from "@hostside/cluster/postgres";
import { createRedisState } from "@hostside/cluster/redis";

const { stateUrl, limitsUrl } = JSON.parse(process.argv[2] ?? "{}");

/** A client of the engine at a URL, by the name of the engine. */
async function connect(url) {
  if (url.startsWith("postgres")) {
    const postgres = new pg.Pool({ connectionString: url, max: 4 });
    postgres.on("error", () => {});
    return { postgres };
  }
  const redis = createClient({ url });
  redis.on("error", () => {});
  await redis.connect();
  return { redis };
}

const kept = await connect(stateUrl);
const counted = limitsUrl === stateUrl ? kept : await connect(limitsUrl);
const settings = { holderTimeoutMs: 2000 };
const stateOf = ({ redis, postgres }, options) =>
  redis ? createRedisState(redis, options) : createPostgresState(postgres, options);
const state = stateOf(kept, settings);
const limits = stateOf(counted, { timeoutMs: 1000 }).limitStore;
const policy = createPolicy({
  pins: { unpinned: "quarantine" },
  approval: { mode: "all", suspend: { key: new Uint8Array(32).fill(5) } },
  state,
});

const origin = { serverId: "s", toolName: "read", qualifiedName: "mcp::s::read" };
const definition = { name: "mcp_s_read", description: "", inputSchema: {}, fingerprint: "sha256-1", origin };
const server = { id: "s" };
/** When the tool was on offer first; `undefined` while it is not. */
let offeredAt;
function readmit() {
  const isOffered = policy.admit(definition, server) === "offer";
  offeredAt = isOffered ? (offeredAt ?? Date.now()) : undefined;
}
policy.attach({ quarantined: () => (offeredAt === undefined ? [{ definition, server }] : []), readmit });
await policy.ready();
readmit();

function call(args, approval) {
  const [interceptor] = policy.interceptors;
  const options = { context: { principal: "ada", ...(approval !== undefined && { approval }) } };
  return interceptor({ origin, definition, server, args, options }, async () => ({
    content: [],
    isError: false,
    origin,
    raw: { content: [] },
  }));
}

const tasks = {
  /** Takes as fast as it can until then; answers when what was let through was sent and answered. */
  async take({ rule, untilAt }) {
    const passed = [];
    const codes = new Set();
    while (Date.now() < untilAt) {
      const sentAt = Date.now();
      try {
        const result = await limits.take([{ rule, key: "ada" }], undefined);
        if (result.granted) {
          passed.push([sentAt, Date.now()]);
          result.settle(true);
        } else await new Promise((resolve) => setTimeout(resolve, 2));
      } catch (error) {
        codes.add(error.code);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
    return { passed, codes: Array.from(codes) };
  },
  async approve() {
    const at = Date.now();
    await policy.approveTools("s", ["read"]);
    return at;
  },
  async revoke() {
    await policy.revoke("s", ["read"]);
  },
  offered: async () => offeredAt ?? null,
  /** A call that waits for an approval, and the token of that approval. */
  async suspend({ args }) {
    try {
      await call(args);
    } catch (error) {
      return policy.approveCall(error.details.approval);
    }
    throw new Error("nobody was asked");
  },
  /** Which of these calls ran, and why the others did not. */
  async resume({ calls }) {
    const ran = [];
    const why = {};
    await Promise.all(
      calls.map(async ({ args, token }) => {
        try {
          await call(args, token);
          ran.push(args.id);
        } catch (error) {
          const reason = error.details?.denied ?? error.code ?? String(error);
          why[reason] = (why[reason] ?? 0) + 1;
        }
      }),
    );
    return { ran, why };
  },
  /** Has the lock of the pins, and never gives it back. */
  hold: () =>
    new Promise((resolve) => {
      void state.lock.withLock("hostside:policy:pins", 60_000, () => {
        resolve("held");
        return new Promise(() => {});
      });
    }),
};

async function answer({ id, name, options }) {
  try {
    process.send({ id, answer: await tasks[name](options) });
  } catch (error) {
    process.send({ id, failure: String(error) });
  }
}

process.on("message", (question) => void answer(question));
// Eight that connect at once, and make a table, may take longer than a call may.
for (let tries = 0; tries < 20; tries += 1) {
  const rule = { name: "first", budget: { calls: 1_000_000 }, waitMs: 0 };
  const isReady = await Promise.all([1, 2, 3, 4].map(async () => limits.take([{ rule, key: "" }]))).then(
    () => true,
    () => false,
  );
  if (isReady) break;
  await new Promise((resolve) => setTimeout(resolve, 250));
}
process.send({ id: "ready" });
