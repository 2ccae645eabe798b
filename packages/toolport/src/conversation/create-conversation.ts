import { randomUUID } from "node:crypto";
import type { Toolbox } from "@toolport/discovery";
import type { Results } from "@toolport/results";
import type { Conversation, ConversationOptions } from "../toolport.ts";

/** What conversations share. */
export interface ConversationParts {
  readonly toolbox: Toolbox;
  readonly results: Results;
}

/** A view of the toolbox whose calls, approvals and kept results belong to one conversation. */
export function createConversation(
  { toolbox, results }: ConversationParts,
  { id = randomUUID(), context: given, ...viewOptions }: ConversationOptions = {},
): Conversation {
  const context = { ...given, conversation: id };
  const view = toolbox.view({ ...viewOptions, context });
  const close = async (): Promise<void> => {
    await results.forget(id);
  };
  return {
    ...view,
    id,
    context,
    presenter: {
      present: (outcome, occasion) =>
        results.present(outcome, { ...occasion, context: { ...context, ...occasion?.context } }),
      presentError: (error, occasion) => results.presentError(error, occasion),
    },
    call: (name, args, options) => view.call(name, args, { wait: "servers", ...options }),
    close,
    [Symbol.asyncDispose]: close,
  };
}
