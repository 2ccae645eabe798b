import { firstEvent } from "./first-event.ts";
import { expectThat, localNameOf, textOf, type Stage } from "./demo-step.ts";

/**
 * Has one server add a tool. The server says that its list changed; it is listed again, and the
 * tool can be called.
 */
export async function noticeANewTool({ host, printer }: Stage): Promise<void> {
  const addTool = localNameOf(host, "modern-http", "add-tool");
  const appeared = firstEvent(host.onToolsChanged, ({ added }) => added.length > 0);
  const reply = await host.call(addTool, { name: "whisper" });
  printer.line(`modern-http says: ${textOf(reply)}`);
  const change = await appeared;
  expectThat(change?.added.length === 1, "no new tool appeared within 10 s");
  const [name = ""] = change.added;
  const outcome = await host.call(name);
  printer.line(`${name} appeared and answers: ${textOf(outcome)}`);
  expectThat(textOf(outcome) === "whisper", "the new tool gave the wrong answer");
}
