#!/usr/bin/env bash
# What action.yml runs. Reads its inputs from MCP_*, writes the reports, the summary of the job and the outputs of the step.
set -uo pipefail

read -ra kit <<<"$MCP_KIT"
mkdir -p "$MCP_FOLDER" || exit 2
arguments=(
  --json "$MCP_FOLDER/report.json" --junit "$MCP_FOLDER/report.xml" --sarif "$MCP_FOLDER/report.sarif"
  --badge "$MCP_FOLDER/badge.json" --markdown "$MCP_FOLDER/summary.md"
)
while IFS= read -r line; do [ -z "$line" ] || arguments+=(--header "$line"); done <<<"$MCP_HEADERS"
strict=()
while IFS= read -r line; do
  [ -z "$line" ] || arguments+=("$line")
  # Two runs are compared as strictly as one is judged. (An empty array is "unbound" to the bash of macOS.)
  [ "$line" != --strict ] || strict=(--strict)
done <<<"$MCP_OPTIONS"
[ -z "$MCP_URL" ] || arguments+=(--url "$MCP_URL")
[ -z "$MCP_COMMAND" ] || arguments+=(-- bash -c "exec $MCP_COMMAND")

rm -f "$MCP_FOLDER"/{report.json,comparison.md}
"${kit[@]}" server "${arguments[@]}"
code=$?
verdict=$code
# Without a report there is nothing to compare: the command line was wrong, and has said so.
if [ -n "$MCP_COMPARE_WITH" ] && [ -f "$MCP_FOLDER/report.json" ]; then
  "${kit[@]}" compare "$MCP_COMPARE_WITH" "$MCP_FOLDER/report.json" ${strict[@]+"${strict[@]}"} | tee "$MCP_FOLDER/comparison.md"
  verdict=${PIPESTATUS[0]}
fi
for page in comparison summary; do
  [ ! -f "$MCP_FOLDER/$page.md" ] || cat "$MCP_FOLDER/$page.md" >>"$GITHUB_STEP_SUMMARY"
done
{
  echo "report=$MCP_FOLDER/report.json"
  echo "sarif=$MCP_FOLDER/report.sarif"
  echo "exit-code=$code"
} >>"$GITHUB_OUTPUT"
exit "$verdict"
