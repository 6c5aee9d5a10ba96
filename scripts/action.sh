#!/usr/bin/env bash
# Installs sched for action.yml. The archive is in the cache or downloaded, and checked in both cases before it is unpacked.
set -euo pipefail

fail() {
  echo "$1" >&2
  exit 1
}

ending=tar.gz libc=
case "$RUNNER_OS" in
  Linux) system=linux && if compgen -G '/lib/ld-musl-*' >/dev/null; then libc=-musl; fi ;;
  macOS) system=macos ;;
  Windows) system=windows ending=zip ;;
  *) fail "There is no sched for $RUNNER_OS" ;;
esac
case "$RUNNER_ARCH" in
  X64) processor=x64 ;;
  ARM64) processor=arm64 ;;
  *) fail "There is no sched for $RUNNER_ARCH" ;;
esac
name="sched-$VERSION-$system-$processor$libc"
file="$name.$ending"
archive="$RUNNER_TOOL_CACHE/sched-$VERSION/$file"

expected=$(awk -v file="$file" '$2 == file { print $1 }' <<<"$SHA256SUMS")
[ -n "$expected" ] || fail "sha256sums has no line for $file"
is_right() {
  [ -f "$archive" ] || return 1
  local found
  if command -v sha256sum >/dev/null; then found=$(sha256sum "$archive"); else found=$(shasum -a 256 "$archive"); fi
  # Git's bash on Windows marks names with a backslash.
  found=${found#\\}
  [ "${found%% *}" = "$expected" ]
}

if ! is_right; then
  mkdir -p "${archive%/*}"
  curl --fail --silent --show-error --location --retry 3 --output "$archive" "$URL/$file"
  if ! is_right; then
    rm "$archive"
    fail "$URL/$file doesn't match its line in sha256sums"
  fi
fi
if [ "$ending" = zip ]; then unzip -q -o "$archive" -d "$RUNNER_TEMP"; else tar -xzf "$archive" -C "$RUNNER_TEMP"; fi
echo "$RUNNER_TEMP/$name" >>"$GITHUB_PATH"
"$RUNNER_TEMP/$name/sched" --version
