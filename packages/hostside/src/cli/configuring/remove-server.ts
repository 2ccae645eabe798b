import type { CommandContext, CommandWork } from "../command-context.ts";
import { loadConfigured } from "../opening/config-files.ts";
import { exactServer, sourcePlaceOf } from "../opening/known-server.ts";
import { usageError } from "../exit-codes.ts";
import { changeConfig, readCurrentConfig, reportChange, valueAt } from "./edit-config.ts";
import { choosePlace, ownPlaces, type ConfigPlace, type PlaceRequest } from "./choose-place.ts";

/** Arguments of `remove`. */
export interface RemoveArguments extends PlaceRequest {
  readonly name: string;
}

/**
 * Takes a server out of a `hostside.json`. A server from another tool's file stays, because that
 * file is not ours.
 */
export const removeServer: CommandWork<RemoveArguments> = async (args, context) => {
  const { name } = args;
  const place = await findPlace(args, context);
  await changeConfig(context, {
    place,
    plan: ({ parsed }) => {
      const path = ["servers", name];
      // Somebody else may have been quicker.
      if (valueAt(parsed.data, path) === undefined)
        throw usageError(`${place.path} has no server ${JSON.stringify(name)}`);
      return { edits: [{ path, value: undefined }] };
    },
  });
  const { sources } = (await loadConfigured(context)).config;
  const other = sources.find(({ serverId }) => serverId === name);
  const notes: string[] = [];
  if (other !== undefined) {
    const state = other.off === undefined ? "used now" : `there now, and ${other.off}`;
    notes.push(`${sourcePlaceOf(other)} has ${name}, too; that one is ${state}`);
  }
  return reportChange({ file: place.path, name, change: "removed" }, notes, context);
};

async function findPlace(args: RemoveArguments, context: CommandContext): Promise<ConfigPlace> {
  const { name, user, project } = args;
  const isChosen = user === true || project === true;
  const places = isChosen ? [choosePlace(context, args)] : ownPlaces(context);
  // The strongest is the one that is used. What is broken is there as well.
  for (const place of places.toReversed()) {
    const { parsed } = await readCurrentConfig(place);
    if (valueAt(parsed.data, ["servers", name]) !== undefined) return place;
  }
  const { config } = await loadConfigured(context);
  const source = exactServer(config, name);
  throw usageError(
    `${name} comes from ${sourcePlaceOf(source)}, and ${isChosen ? "not from the file that was chosen" : "hostside leaves that file as it is"}`,
    `to have it off without removing it, put it on "denyServers" in the settings of your hostside.json`,
  );
}
