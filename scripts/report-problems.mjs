/**
 * How every check of this folder ends: one problem a line on stderr and exit code 1, or one line that says what was looked at.
 * A check that looked at nothing has not run, and fails.
 * @param {string[]} problems
 * @param {{ count: number, noun: string }} looked
 */
export function reportProblems(problems, looked) {
  if (looked.count === 0) problems.push(`no ${looked.noun} found: this check looked at nothing`);
  for (const problem of problems) console.error(problem);
  if (problems.length === 0) console.log(`${looked.count} ${looked.noun}`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
