import { type ContentBlock, type JsonObject, type Progress } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createRedactionWorld, firstText, github, placeholder, shownOf, textOf } from "../../test/redaction-world.ts";
import { outcomeOf, stageCall } from "../../test/still-parts.ts";

describe("redactData()", () => {
  it("masks data that is no result, and errors, with the placeholders of results", async () => {
    const { send, redaction } = createRedactionWorld({ values: ["hunter2-hunter2"] });
    const masked = shownOf((await send({ content: textOf("hunter2-hunter2") })).content);
    const found = placeholder.exec(masked)?.[0];
    const data = { contents: [{ uri: "mem://one", text: "it is hunter2-hunter2" }] };
    expect(await redaction.redactData(data)).toEqual({ contents: [{ uri: "mem://one", text: `it is ${found}` }] });
    expect((await redaction.redactData(new Error("no hunter2-hunter2"))).message).toBe(`no ${found}`);
    const clean = { contents: [] };
    expect(await redaction.redactData(clean)).toBe(clean);
  });

  it("withholds what could not be looked through", async () => {
    const values = (): never => {
      throw new Error("the vault is closed");
    };
    const { redaction, parts } = createRedactionWorld({ values });
    await expect(redaction.redactData({ text: "hunter2" })).rejects.toThrow("withheld");
    expect(parts.events.map(({ type }) => type)).toEqual(["part-failed"]);
  });
});

describe("placeholders", () => {
  it("are the same for the same secret in text, data, keys and calls, however it is spelled", async () => {
    const secret = 'p"ss/wörd 1';
    const { send, redaction } = createRedactionWorld({ values: [secret] });
    const outcome = await send({
      content: textOf(`${secret} ${JSON.stringify({ password: secret })} ${btoa(`user:${encodeURIComponent("x")}`)}`),
      structuredContent: { password: secret, n: { [secret]: 1 } },
    });
    const again = await send({ content: textOf(encodeURIComponent(secret)) });
    const found = shownOf([outcome, again]).match(new RegExp(placeholder, "g")) ?? [];
    expect(new Set(found).size).toBe(1);
    expect(redaction.redactText(secret)).toBe(found[0]);
  });

  it("differ between secrets, conversations, principals and keys", async () => {
    const one = createRedactionWorld();
    const other = createRedactionWorld({ key: new Uint8Array(32).fill(8) });
    const content = textOf("password=hunter2");
    const outcomes = await Promise.all([
      one.send({ content }, { conversation: "a" }),
      one.send({ content }, { conversation: "b" }),
      one.send({ content }, { conversation: "a", principal: "ada" }),
      one.send({ content }, { conversation: "a", principal: "bob" }),
      one.send({ content }),
      one.send({ content: textOf("password=hunter3") }),
      other.send({ content }),
      createRedactionWorld({ key: undefined }).send({ content }),
      createRedactionWorld({ key: undefined }).send({ content }),
    ]);
    expect(new Set(outcomes.map((outcome) => placeholder.exec(shownOf(outcome))?.[0])).size).toBe(9);
    expect(await one.send({ content }, { conversation: "a" })).toEqual(outcomes[0]);
  });

  it("are no plain hash of a guess", async () => {
    const { sha256 } = await import("@noble/hashes/sha2.js");
    const { bytesToHex, utf8ToBytes } = await import("@noble/hashes/utils.js");
    const shown = shownOf(await createRedactionWorld().send({ content: textOf("password=hunter2") }));
    for (const guess of ["hunter2", "secret\nhunter2"]) {
      expect(shown).not.toContain(bytesToHex(sha256(utf8ToBytes(guess))).slice(0, 12));
    }
  });

  it("are not masked again, unless a server made them up", async () => {
    const { send } = createRedactionWorld();
    const first = await send({ content: textOf('{"password":"hunter2"}') });
    const text = firstText(first.content);
    const again = await send({
      content: textOf(text),
      structuredContent: { token: placeholder.exec(text)?.[0] ?? "" },
    });
    expect(again.content).toEqual(first.content);
    expect(shownOf(again.structuredContent)).toContain(placeholder.exec(text)?.[0]);
    const forged = "[secret:deadbeefcafe0123]";
    expect(shownOf(await send({ structuredContent: { token: forged } }))).not.toContain("deadbeefcafe");
  });

  it("are not told apart beyond some thousands", async () => {
    const text = Array.from({ length: 5000 }, (_, index) => `password=x${index}y`).join("\n");
    const { content } = await createRedactionWorld().send({ content: textOf(text) });
    const shown = firstText(content);
    expect(shown).not.toMatch(/x\d+y/);
    expect(shown.split("\n").at(-1)).toBe("password=[secret]");
  });
});

describe("where it looks", () => {
  it("passes on the very outcome that has no secrets", async () => {
    const { parts, redaction } = createRedactionWorld({ values: ["hunter2-secret"] });
    const outcome = Object.freeze(
      outcomeOf({ structuredContent: { a: [1, null, "b"], password: null, token: "" }, meta: { c: "d" } }),
    );
    expect(await redaction.interceptor(stageCall(), async () => outcome)).toBe(outcome);
    expect(parts.events).toEqual([]);
  });

  it("tells how many secrets it masked", async () => {
    const { parts, send } = createRedactionWorld();
    await send({ content: textOf("password=a1 token=b2") });
    expect(parts.events).toMatchObject([{ type: "applied", stage: "redaction", reason: "masked 2 secrets" }]);
  });

  it("masks values and names in data, whatever their shape", async () => {
    const structuredContent = JSON.parse(
      `{"__proto__":{"x-api-key":"aaa1"},"${github}":1,"env":[{"name":"DB_PASSWORD","value":"bbb2"}],"token":[["ccc3",{"d":7654321}]],"\\ud800":"password=ddd4"}`,
    ) as JsonObject;
    const shown = shownOf((await createRedactionWorld().send({ structuredContent })).structuredContent);
    for (const secret of ["aaa1", github, "bbb2", "ccc3", "7654321", "ddd4"]) expect(shown).not.toContain(secret);
    expect(shown).toContain('"__proto__"');
    expect(await createRedactionWorld().send({ structuredContent: null })).toHaveProperty("structuredContent", null);
    expect(
      (await createRedactionWorld({ values: ["hunter2"] }).send({ structuredContent: "hunter2" })).structuredContent,
    ).toMatch(placeholder);
  });

  it("masks every part of an outcome, and the same part of raw", async () => {
    const blocks: readonly JsonObject[] = [
      { type: "text", text: github, annotations: { x: github } },
      { type: "resource", resource: { uri: `a:${github}`, text: github } },
      {
        type: "resource",
        resource: { uri: "a:b", mimeType: "application/json", blob: btoa(JSON.stringify({ password: "hunter2" })) },
      },
      {
        type: "resource_link",
        uri: `a:${github}`,
        name: github,
        description: github,
        icons: [{ src: `https://a/${github}` }],
      },
      { type: "malformed:image", data: github },
      { type: "other", [github]: { deep: [github] } },
    ];
    const outcome = await createRedactionWorld().send({
      content: blocks as readonly ContentBlock[],
      meta: { m: github },
      raw: { content: blocks, extra: github, _meta: { m: github } },
    });
    expect(shownOf(outcome)).not.toContain(github);
    expect(shownOf(outcome)).not.toContain(btoa('{"password":"hunter2"}'));
    expect(outcome.raw["content"]).toEqual(outcome.content);
  });

  it("leaves pictures as they are, but for values that the host knows", async () => {
    const picture = btoa(String.fromCharCode(...Array.from({ length: 3000 }, (_, at) => (at * 7919) % 256)));
    const withSecret = btoa(`PNG ${"x".repeat(90)}hunter2-known${"y".repeat(90)}`);
    const image = (data: string): readonly ContentBlock[] => [{ type: "image", data, mimeType: "image/png" }];
    const { send } = createRedactionWorld({ values: ["hunter2-known"] });
    expect((await send({ content: image(picture) })).content).toEqual(image(picture));
    expect(shownOf(await send({ content: image(withSecret) }))).not.toContain(withSecret.slice(100, 140));
    const icon = { src: `data:image/png;base64,${picture}` };
    expect((await send({ structuredContent: icon })).structuredContent).toEqual(icon);
  });

  it("replaces what is too deep, contains itself or is no JSON", async () => {
    let deep: JsonObject = { password: "hunter2" };
    for (let level = 0; level < 20_000; level += 1) deep = { a: deep };
    const cyclic: Record<string, unknown> = { password: "hunter2" };
    cyclic["again"] = [cyclic, cyclic];
    const { send } = createRedactionWorld();
    const outcome = await send({
      structuredContent: { deep, cyclic, map: new Map([["password", "hunter2"]]), big: 1n } as unknown as JsonObject,
    });
    const shown = JSON.stringify(outcome);
    expect(shown).toContain("nested too deep");
    expect(shown).toContain("contains itself");
    expect(shownOf(outcome)).not.toContain("hunter2");
  });

  it("masks progress", async () => {
    const { redaction } = createRedactionWorld();
    const seen: Progress[] = [];
    await redaction.interceptor(
      stageCall({ options: { onProgress: (progress) => void seen.push(progress) } }),
      async (call) => {
        call.options.onProgress?.({ progress: 1, total: 2, message: `got ${github}` });
        return outcomeOf();
      },
    );
    expect(seen).toEqual([{ progress: 1, total: 2, message: expect.stringMatching(placeholder) }]);
  });

  it("leaves arguments as they are", async () => {
    const { redaction } = createRedactionWorld();
    const call = stageCall({ args: { token: "hunter2" } });
    await redaction.interceptor(call, async (sent) => {
      expect(sent).toBe(call);
      return outcomeOf();
    });
  });
});
