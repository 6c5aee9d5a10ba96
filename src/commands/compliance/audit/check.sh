#!/usr/bin/env bash
# Checks a receipt without sched: bash check.sh [--sandbox] [RECEIPT] [sha256:HEAD]
# RECEIPT is by default the receipt.jsonl beside this script. HEAD is the hash that the run printed at its end, from a copy
# that is not stored with the receipt. With --sandbox, a receipt made in the sandbox is checked like a real one.
# Exit 0: ok; 11: incomplete; 13: edited, a different head, or made in the sandbox; 2: HEAD is not a hash, or no RECEIPT.
set -euo pipefail
export LC_ALL=C
rehearsal=0
if [ "${1:-}" = --sandbox ]; then rehearsal=1; shift; fi
receipt=${1:-$(dirname "${BASH_SOURCE[0]}")/receipt.jsonl}
wanted=${2:-}
[ -r "$receipt" ] || { echo "can't read $receipt"; exit 2; }
# A head that got lost, such as "" or null, must not count as "no head given".
[ $# -lt 2 ] || [[ $wanted =~ ^sha256:[0-9a-f]{64}$ ]] || { echo 'HEAD must be sha256: and 64 hexadecimal digits'; exit 2; }
sum=sha256sum
command -v sha256sum >/dev/null || sum='shasum -a 256'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
edited() { echo "edited at line $1: $2"; exit 13; }
incomplete() { echo "incomplete: $1"; exit 11; }

# Text after the last line break is a line that was never finished.
whole=$(wc -l <"$receipt" | tr -d ' ')
head -n "$whole" "$receipt" >"$work/lines"
strange=$({ grep -a -n -m 1 '[^ -~]' "$work/lines" || true; } | cut -d: -f1)
[ -z "$strange" ] || head -n $((strange - 1)) "$work/lines" >"$work/clean"
[ -n "$strange" ] || mv "$work/lines" "$work/clean"

# Every line is {"prev":"HASH OF THE LINE ABOVE",...,"hash":"HASH OF THIS LINE"}. A line's hash is the SHA-256 of the
# line without ,"hash":"...". So each line is written to a separate file without it, and sha256sum hashes all files.
mkdir "$work/line"
touch "$work/hashes" "$work/broken"
awk -v work="$work" '
  function isHash(text) { return length(text) == 64 && text !~ /[^0-9a-f]/ }
  BEGIN { above = sprintf("%064d", 0) }
  {
    size = length($0)
    prev = substr($0, 10, 64)
    hash = substr($0, size - 65, 64)
    if (size < 150 || substr($0, 1, 9) != "{\"prev\":\"" || substr($0, 74, 2) != "\"," || !isHash(prev) ||
        substr($0, size - 74, 9) != ",\"hash\":\"" || substr($0, size - 1) != "\"}" || !isHash(hash)) {
      print NR, "the line is malformed" >(work "/broken")
      exit
    }
    file = work "/line/" NR
    printf "%s}", substr($0, 1, size - 75) >file
    close(file)
    print hash >(work "/hashes")
    if (prev != above) {
      print NR, "it does not follow the line above" >(work "/broken")
      exit
    }
    above = hash
  }' "$work/clean"
count=$(wc -l <"$work/hashes" | tr -d ' ')
[ "$count" -eq 0 ] || (cd "$work/line" && seq 1 "$count" | xargs $sum) | cut -c 1-64 >"$work/computed"
[ "$count" -eq 0 ] || paste "$work/computed" "$work/hashes" | awk '$1 != $2 { print NR, "its hash does not match"; exit }' >>"$work/broken"
[ -z "$strange" ] || echo "$strange it has a byte that is not printable ASCII" >>"$work/broken"

# The facts of each line as a row: jq reads them, and awk counts the last verdict of every item.
jq -rR '(try fromjson catch null) | if type != "object" then "broken" else
    ([.type, .batch, .verdict, .total, .accepted, .rejected, .unknown, .skipped, .receipt == 1, .sandbox == true,
      .after != null, (.items | type)] + if (.items | type) == "array" then .items else [] end) | map(tojson) | join("\t") end' \
  <"$work/clean" >"$work/rows"
history=$(awk -F '\t' -v rehearsal="$rehearsal" '
  function wrong(words) { print "edited at line " NR ": " words; isWrong = 1; exit }
  function is(text, number) { return text ~ /^[0-9]/ && text + 0 == number }
  $1 == "broken" { print "broken " NR; isWrong = 1; exit }
  isWrong { next }
  { last = $1; if ($10 == "true") sandbox = 1 }
  NR == 1 {
    if ($1 != "\"run\"" || $9 != "true" || $4 !~ /^-?[0-9]/) wrong("it is not the first line of a receipt")
    total = $4 + 0
    skipped = $8
    isLook = $11 == "true"
    next
  }
  $1 == "\"sending\"" {
    if ($12 == "\"array\"") {
      items[$2] = $0
      sent[$2] = 1
    }
    next
  }
  $1 == "\"verdict\"" {
    if (!sent[$2]) wrong("it has a verdict for a batch that was never sent")
    if ($3 != "\"accepted\"" && $3 != "\"rejected\"" && $3 != "\"unknown\"") next
    verdict = $3
    size = split(items[$2], marks, "\t")
    for (place = 13; place <= size; place++) {
      mark = marks[place]
      if (mark in outcome) counted[outcome[mark]]--
      outcome[mark] = verdict
      counted[verdict]++
    }
    next
  }
  $1 == "\"end\"" {
    accepted = counted["\"accepted\""] + 0
    rejected = counted["\"rejected\""] + 0
    unknown = counted["\"unknown\""] + 0
    if (!is($4, total) || !is($5, accepted) || !is($6, rejected) || !is($7, unknown) || $8 != skipped ||
        accepted + rejected + unknown != total) wrong("its counts do not match the lines above")
    next
  }
  $1 != "\"resumed\"" { wrong("its type is unknown") }
  END {
    if (isWrong || NR == 0) exit
    if (last != "\"end\"") print "incomplete: the run did not finish, or its last lines are missing"
    else if (unknown > 0 && !isLook) print "incomplete: " unknown " with unknown outcome"
    else if (sandbox && !rehearsal) print "sandbox: intact, but made in the sandbox, so it proves nothing"
    else if (isLook) print "ok: " accepted " gone, " rejected " still there, " unknown " unknown of " total
    else print "ok: " accepted " accepted, " rejected " rejected of " total ", " skipped " lines skipped"
  }' "$work/rows")
case $history in broken*) echo "${history#broken } it is not JSON" >>"$work/broken" ;; esac

if [ -s "$work/broken" ]; then
  read -r number words < <(sort -n -s -k 1,1 "$work/broken" | head -n 1)
  edited "$number" "$words"
fi
above=$(tail -n 1 "$work/hashes")
[ -n "$above" ] || above=$(printf '%064d' 0)
if [ -n "$wanted" ] && [ "$wanted" != "sha256:$above" ]; then
  echo "the chain is intact, but its head is sha256:$above"
  exit 13
fi
[ "$whole" -gt 0 ] || incomplete 'it has no complete line'
case $history in edited*) echo "$history"; exit 13 ;; esac
[ -z "$(tail -c 1 "$receipt" | tr -d '\n')" ] || incomplete 'its last line is cut off'
echo "$history"
echo "head: sha256:$above"
if [ "$rehearsal" = 1 ] && cut -f 10 "$work/rows" | grep -q true; then
  echo 'made in the sandbox: not proof of a real deletion' >&2
fi
case $history in incomplete*) exit 11 ;; sandbox*) exit 13 ;; esac
