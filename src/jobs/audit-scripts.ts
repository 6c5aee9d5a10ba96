/** What an auditor runs: nothing of ours is needed, only bash, sha256sum, openssl and jq. */

export const checkScript = String.raw`#!/usr/bin/env bash
# Checks a receipt without sched: bash check.sh [RECEIPT] [sha256:HEAD]
# HEAD is what the run printed at its end, kept where the receipt was not.
# Exit 0: ok; 11: incomplete; 13: edited, of another head, or made in the sandbox.
set -euo pipefail
export LC_ALL=C
receipt=${'$'}{1:-receipt.jsonl}
wanted=${'$'}{2:-}
sum() { if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi; }
edited() { echo "edited at line $1: $2"; exit 13; }
incomplete() { echo "incomplete: $1"; exit 11; }

# Every line is printable ASCII, follows the one above it (prev) and ends with the SHA-256 of itself (hash).
whole=$(wc -l <"$receipt" | tr -d ' ')
strange=$(head -n "$whole" "$receipt" | grep -a -n -m 1 '[^ -~]' | cut -d: -f1 || true)
form='^\{"prev":"([0-9a-f]{64})",.*,"hash":"([0-9a-f]{64})"\}$'
above=$(printf '%064d' 0)
number=0
while [ "$number" -lt "$whole" ] && IFS= read -r line; do
  number=$((number + 1))
  if [ "$number" = "$strange" ]; then edited "$number" 'a byte that is no printable ASCII'; fi
  [[ $line =~ $form ]] || edited "$number" 'it does not have the form of a line'
  follows=${'$'}{BASH_REMATCH[1]}
  hash=${'$'}{BASH_REMATCH[2]}
  computed=$(printf '%s}' "${'$'}{line%,\"hash\":*}" | sum)
  [ "${'$'}{computed%% *}" = "$hash" ] || edited "$number" 'its hash does not fit it'
  [ "$follows" = "$above" ] || edited "$number" 'it does not follow the line above it'
  above=$hash
done <"$receipt"
if [ -n "$wanted" ] && [ "$wanted" != "sha256:$above" ]; then
  echo "the chain is whole, but its head is sha256:$above"
  exit 13
fi
[ "$whole" -gt 0 ] || incomplete 'there is no whole line'

# What the lines say together: the last verdict on each item, counted, is what the last line says.
story=$(head -n "$whole" "$receipt" | jq -rs '
  def counts:
    (map(select(.type == "sending" and .items != null) | {key: (.batch | tostring), value: .items}) | from_entries) as $items
    | [to_entries[] | .key as $at | .value
       | select(.type == "verdict" and (.verdict == "accepted" or .verdict == "rejected" or .verdict == "unknown"))
       | .verdict as $verdict | ($items[.batch | tostring] // [])[] | [., $at, $verdict]]
    | group_by(.[0]) | map(max_by(.[1])[2]) as $fates
    | {accepted: ($fates | map(select(. == "accepted")) | length),
       rejected: ($fates | map(select(. == "rejected")) | length),
       unknown: ($fates | map(select(. == "unknown")) | length)};
  . as $lines
  | .[0] as $run
  | (map(select(.type == "sending" and .items != null) | {key: (.batch | tostring), value: true}) | from_entries) as $sent
  | [range(1; length) as $at | $lines[$at] as $line
     | if $line.type == "sending" or $line.type == "resumed" then empty
       elif $line.type == "verdict" then
         if $sent[$line.batch | tostring] then empty else "edited at line \($at + 1): it judges a batch that was not sent" end
       elif $line.type == "end" then
         ($lines[:$at] | counts) as $counts
         | if $counts == ($line | {accepted, rejected, unknown}) and $line.total == $run.total
              and $line.skipped == $run.skipped and ($counts | add) == $run.total
           then empty else "edited at line \($at + 1): its counts are not what the lines above it say" end
       else "edited at line \($at + 1): it is of no known kind" end] as $wrong
  | if $run.type != "run" or $run.receipt != 1 then "edited at line 1: it is not the first line of a receipt"
    elif ($wrong | length) > 0 then $wrong[0]
    elif .[-1].type != "end" then "incomplete: the run did not end, or its last lines are missing"
    elif .[-1].unknown > 0 then "incomplete: what became of \(.[-1].unknown) is not known"
    elif any(.[]; .sandbox == true) then "sandbox: it is whole, and proves nothing"
    else "ok: \(.[-1].accepted) accepted, \(.[-1].rejected) rejected of \($run.total), \($run.skipped) lines skipped" end')
case $story in edited*) echo "$story"; exit 13 ;; esac
[ -z "$(tail -c 1 "$receipt" | tr -d '\n')" ] || incomplete 'its last line is cut off'
echo "$story"
echo "head: sha256:$above"
case $story in incomplete*) exit 11 ;; sandbox*) exit 13 ;; esac
`;

export const proveScript = String.raw`#!/usr/bin/env bash
# Was an address in it? bash prove.sh KEY_FILE [RECEIPT], with the address typed or piped to stdin.
# Exit 0: it was, and every time it was sent is printed with the answer; 6: it was not. Run check.sh first.
set -euo pipefail
export LC_ALL=C
receipt=${'$'}{2:-receipt.jsonl}
IFS= read -r address
mark=$(printf '%s' "$address" | tr 'A-Z' 'a-z' | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$(tr -d '\n' <"$1")" | sed 's/.*= *//')
found=$(jq -rs --arg mark "$mark" '
  [.[] | select(.type == "sending" and .items != null) | select(any(.items[]; . == $mark)) | .batch] as $batches
  | .[] | select(.batch as $batch | $batch != null and any($batches[]; . == $batch))
  | "\(.at) batch \(.batch): \(.verdict // .type)\(if .status then " (HTTP \(.status))" else "" end)"' "$receipt")
if [ -z "$found" ]; then
  echo 'not in this receipt'
  exit 6
fi
echo "$found"
`;
