import { expect, it } from "vitest";
import { readOptions } from "./read-options.ts";

const choices = {
  part: ["speed", "growth"],
  only: { speed: ["import"], growth: ["growth"] },
  of: ["hostside"],
  peers: ["mcporter"],
};

it("takes what it is given, and measures everything where nothing is named", () => {
  expect(readOptions([], choices)).toEqual({
    options: {
      rounds: 3,
      node: undefined,
      peers: false,
      merge: false,
      part: undefined,
      only: undefined,
      of: undefined,
    },
  });
  const args = [
    "--rounds",
    "9",
    "--node",
    "24",
    "--peers",
    "--part=speed,growth",
    "--only",
    "import",
    "--of",
    "hostside",
  ];
  expect(readOptions(args, choices)).toEqual({
    options: {
      rounds: 9,
      node: "24",
      peers: true,
      merge: false,
      part: ["speed", "growth"],
      only: ["import"],
      of: ["hostside"],
    },
  });
});

it.each([
  [["--only", "improt"], '--only has no "improt"; it has import, growth'],
  [["--part", "growth", "--only", "growth,import"], "import of --only is in no part of --part growth"],
  [["--of", "hostside,ai-skd"], '--of has no "ai-skd"'],
  [["--of", "mcporter"], "mcporter is one of the peers, which want --peers"],
  [["--part", ""], '--part has no ""'],
  [["--rounds", "0"], '--rounds "0" is no whole number above 0'],
  [["--fast"], "--fast"],
  [["import"], "import"],
])("says what is wrong with %j", (args, mistake) => {
  expect(readOptions(args, choices)).toEqual({ mistake: expect.stringContaining(mistake) as unknown });
});

it("lists what there is", () => {
  expect(readOptions(["--help"], choices)).toEqual({
    usage: expect.stringMatching(
      /--part +speed, growth\n +--only +import, growth\n +--of +hostside; with --peers also mcporter\n/,
    ) as unknown,
  });
});
