#!/usr/bin/env bash
# Checks whether an address is in a receipt: bash prove.sh [--sandbox] KEY_FILE [RECEIPT], with the address typed or
# piped to stdin. RECEIPT is by default the receipt.jsonl beside this script. With --sandbox, a receipt made in the
# sandbox is searched like a real one.
# Exit 0: it is, and every request with it is printed with its verdict; 6: it is not; 3: KEY_FILE is not the key of
# this receipt; 13: made in the sandbox; 2: no KEY_FILE, RECEIPT or address. Run check.sh first. The address is
# converted to lower case before the search, but only A-Z: type other letters in lower case, because not every awk or tr
# can convert them.
set -euo pipefail
export LC_ALL=C
rehearsal=0
if [ "${1:-}" = --sandbox ]; then rehearsal=1; shift; fi
[ $# -gt 0 ] || { echo 'usage: bash prove.sh [--sandbox] KEY_FILE [RECEIPT]'; exit 2; }
receipt=${2:-$(dirname "${BASH_SOURCE[0]}")/receipt.jsonl}
for file in "$1" "$receipt"; do [ -r "$file" ] || { echo "can't read $file"; exit 2; }; done
key=$(tr -d '[:space:]' <"$1")
[[ $key =~ ^[0-9a-fA-F]{64}$ ]] || { echo 'KEY_FILE must contain 64 hexadecimal digits'; exit 3; }
mac() { openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" | sed 's/.*= *//'; }

# With a different key, no address would ever be found.
made=$(head -n 1 "$receipt" | jq -r .key)
own=$(printf 'sched receipt key' | mac | cut -c 1-16)
[ "$own" = "$made" ] || { echo "the receipt was made with key $made, but this is key $own"; exit 3; }

# The last line of a pipe may have no line break, and a line from Windows ends with a carriage return.
IFS= read -r address || true
address=$(printf '%s\n' "$address" | sed 's/^[[:space:]]*//; s/[[:space:]]*$//' | tr 'A-Z' 'a-z')
[ -n "$address" ] || { echo 'no address on stdin'; exit 2; }
mark=$(printf '%s' "$address" | mac)
# Text after the last line break is a line that was never finished.
found=$(head -n "$(wc -l <"$receipt" | tr -d ' ')" "$receipt" | jq -rs --arg mark "$mark" '
  [.[] | select(.type == "sending" and .items != null) | select(any(.items[]; . == $mark)) | .batch] as $batches
  | .[] | select(.batch as $batch | $batch != null and any($batches[]; . == $batch))
  | "\(.at) batch \(.batch): \(.verdict // .type)\(if .status then " (HTTP \(.status))" else "" end)"')
echo "${found:-not in this receipt}"
if head -n 1 "$receipt" | jq -e '.sandbox == true' >/dev/null; then
  echo 'made in the sandbox: not proof of a real deletion' >&2
  [ "$rehearsal" = 1 ] || exit 13
fi
[ -n "$found" ] || exit 6
