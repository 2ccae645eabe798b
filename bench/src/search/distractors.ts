import type { JsonObject } from "@hostside/core";
import { nameTools, type ToolSetServer, type UnnamedServer } from "./tool-set.ts";

// Trades that no server of the data set is about, so that a distractor is never a right answer;
// their verbs and half of their words are everyday ones, so that it is always a near miss.
const trades: readonly (readonly [title: string, things: string])[] = [
  ["Beekeeping", "hive queen frame honey_batch swarm apiary mite_count feeder"],
  ["Dentistry", "tooth_chart crown filling x_ray braces hygiene_plan implant waiting_list"],
  ["Railways", "train platform signal carriage timetable track_section driver_roster delay_report"],
  ["Brewing", "mash_tun hop_bill yeast_culture keg ferment_log bottling_run recipe_card tap_line"],
  ["Museums", "exhibit artefact loan_agreement gallery curator_note visitor_tour restoration_job archive_box"],
  ["Farming", "field crop_rotation tractor soil_sample harvest_load irrigation_valve seed_lot greenhouse"],
  ["Veterinary care", "animal vaccination kennel surgery_slot prescription lab_panel owner_consent microchip"],
  ["Shipping lines", "vessel berth container_yard bill_of_lading crane port_call cargo_manifest tide_table"],
  ["Courts", "hearing docket judge_panel filing verdict evidence_box bail_order clerk_desk"],
  ["Theatre", "stage_cue costume rehearsal seat_map box_office prop script_page understudy"],
  ["Mining", "shaft drill_core blast_plan ore_grade haul_truck ventilation_fan survey_peg tailings_dam"],
  ["Genetics", "gene_panel sequencer_run sample_plate variant_call primer freezer_rack pedigree assay"],
  ["Fire service", "engine_crew hydrant drill_night hose_test call_out station_watch breathing_set ladder"],
  [
    "Aviation maintenance",
    "airframe engine_cycle work_card torque_tool hangar_bay defect_sheet spare_rotable inspector_stamp",
  ],
  ["Elections", "ballot polling_place voter_roll candidate_list recount observer tally_sheet district"],
  ["Libraries", "loan shelf_mark overdue_fine reading_room catalogue_card interlibrary_request patron bookmobile"],
  ["Insurance", "policy claim_file adjuster premium_table risk_survey underwriter broker_quote endorsement"],
  ["Construction", "crane_lift scaffold concrete_pour blueprint site_diary punch_list subcontractor permit"],
  ["Oceanography", "buoy salinity_profile dive_log research_cruise coral_survey tide_gauge glider plankton_net"],
  ["Observatories", "telescope_slot star_catalogue exposure dome filter_wheel spectrum calibration_frame comet_alert"],
  ["Schools", "classroom exam_paper grade_book school_bus lesson_plan parent_evening substitute locker"],
  ["Bakeries", "dough_batch oven_slot sourdough_starter flour_silo bread_van pastry_order allergen_card proofing_room"],
  [
    "Forestry",
    "stand_inventory chainsaw_crew timber_stack nursery_bed fire_break trail_camera felling_licence sawmill_slot",
  ],
  ["Fencing clubs", "bout foil_rack armourer_check ranking_list piste referee_pool squad_trip club_fee"],
];
const makers = "Alder Birch Cedar Dahlia Elm Fern Gorse Hazel Iris Juniper Kelp Lupin Maple Nettle Oak Poppy".split(
  " ",
);
const verbs: readonly (readonly [verb: string, sentence: string])[] = [
  ["list", "List every THING, optionally by state and date."],
  ["get", "Get one THING with all its details."],
  ["create", "Create a THING and return its id."],
  ["update", "Update fields of a THING."],
  ["delete", "Delete a THING for good."],
  ["search", "Search for a THING by text."],
  ["assign", "Assign a THING to a person or a team."],
  ["approve", "Approve a THING that waits for a decision."],
  ["export", "Export each THING as a file."],
  ["schedule", "Schedule a THING for a date."],
  ["comment_on", "Add a comment to a THING."],
  ["notify_about", "Send a message about a THING to everyone who follows it."],
  ["archive", "Move a THING to the archive."],
];

const toolsPerServer = 100;

/**
 * `count` tools on made-up servers of 100 tools each, the last of which may have fewer; always the
 * same ones.
 */
export function makeDistractors(count: number): readonly ToolSetServer[] {
  const servers: UnnamedServer[] = [];
  for (let left = count; left > 0; left -= toolsPerServer) servers.push(makeServer(servers.length, left));
  return nameTools(servers);
}

function makeServer(index: number, maxTools: number): UnnamedServer {
  const [trade = "", things = ""] = trades[index % trades.length] ?? [];
  const title = `${makers[Math.floor(index / trades.length) % makers.length] ?? ""} ${trade}`;
  const id = title.toLowerCase().replaceAll(" ", "-");
  const tools = verbs
    .flatMap(([verb, sentence]) => things.split(" ").map((thing) => [verb, thing, sentence] as const))
    .slice(0, Math.min(toolsPerServer, maxTools))
    .map(([verb, thing, sentence]) => ({
      name: `${verb}_${thing}`,
      description: `${sentence.replace("THING", thing.replaceAll("_", " "))} Part of ${title}.`,
      inputSchema: schemaOf(verb, thing),
    }));
  return { id, source: "written", group: { title, description: `Tools provided by MCP server \`${id}\`.` }, tools };
}

function schemaOf(verb: string, thing: string): JsonObject {
  const text = { type: "string" };
  if (verb === "list" || verb === "search") {
    const properties = { query: text, state: text, since: text, limit: { type: "integer", minimum: 1 } };
    return { type: "object", properties };
  }
  const id = `${thing}_id`;
  const fields = verb === "create" || verb === "update" ? { title: text, notes: text } : { reason: text };
  const properties = { [id]: { type: "string", description: `The ${thing.replaceAll("_", " ")}` }, ...fields };
  return { type: "object", properties, required: verb === "create" ? ["title"] : [id] };
}
