/**
 * The zones whose rules have changed since the data that people's machines have.
 *
 *     npm run zones                      checks that scripts/zones.txt has the newest release that this system knows
 *     npm run zones -- add DIRECTORY     adds what a compiled release changed: `zic -b fat -d DIRECTORY tzdata.zi`
 *
 * `npm run generate` makes src/time/zone-changes.json of scripts/zones.txt.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { failInWords } from './script.js';

/** @typedef {{ at: number, offset: number }[]} History When the clocks change, and their offset from then on, in seconds. */
/** @typedef {{ release: string, zones: Map<string, History> }} Release */
/** @typedef {{ from: number, until: number }} Stretch */

const first = Date.UTC(2020, 0, 1) / 1000;
/** Compiled data end here. */
const end = Date.UTC(2037, 6, 1) / 1000;

const input = fileURLToPath(new URL('zones.txt', import.meta.url));

/** @param {number} at */
const timeText = (at) => new Date(at * 1000).toISOString().replace(':00.000Z', 'Z');

/** @param {number} offset */
const offsetText = (offset) =>
  `${offset < 0 ? '-' : '+'}${new Date(Math.abs(offset) * 1000).toISOString().slice(11, 16)}`;

/** @param {string} text */
const offsetOf = (text) => (text.startsWith('-') ? -1 : 1) * (Date.parse(`1970-01-01T${text.slice(1)}Z`) / 1000);

/** @param {History} history */
const historyText = (history) =>
  history.map(({ at, offset }, index) => `${index === 0 ? '' : `${timeText(at)} `}${offsetText(offset)}`).join(', ');

/** @param {string} text @returns {History} */
const historyOf = (text) =>
  text.split(', ').map((part) => {
    const [offset = '', at] = part.split(' ').reverse();
    return { at: at === undefined ? first : Date.parse(at) / 1000, offset: offsetOf(offset) };
  });

/** Releases in order. The first one has all zones, each other one those that it changed. @param {string} text @returns {Release[]} */
export const releasesIn = (text) => {
  /** @type {Release[]} */
  const releases = [];
  for (const line of text.split('\n').filter((each) => each !== '' && !each.startsWith('#'))) {
    const [names = '', history] = line.split(': ');
    if (history === undefined) releases.push({ release: names, zones: new Map() });
    else for (const name of names.split(' ')) releases.at(-1)?.zones.set(name, historyOf(history));
  }
  return releases;
};

/** @param {Release} release */
const releaseText = ({ release, zones }) => {
  /** @type {Map<string, string[]>} */
  const names = new Map();
  for (const [name, history] of zones)
    names.set(historyText(history), [...(names.get(historyText(history)) ?? []), name]);
  return `\n${[release, ...[...names].map(([history, each]) => `${each.sort().join(' ')}: ${history}`).sort()].join('\n')}\n`;
};

/** @param {History} history @param {number} at */
const offsetAt = (history, at) => history.findLast((each) => each.at <= at)?.offset ?? history[0]?.offset;

/** Where two histories differ from an instant on. @param {History} one @param {History} other @param {number} since @returns {Stretch[]} */
const differences = (one, other, since = first) => {
  const times = [since, ...[...one, ...other].map(({ at }) => at).filter((at) => at > since), end];
  /** @type {Stretch[]} */
  const stretches = [];
  const sorted = [...new Set(times)].filter((at) => at <= end).sort((a, b) => a - b);
  for (const [index, from] of sorted.slice(0, -1).entries()) {
    const until = /** @type {number} */ (sorted[index + 1]);
    if (offsetAt(one, from) === offsetAt(other, from)) continue;
    const last = stretches.at(-1);
    if (last?.until === from) last.until = until;
    else stretches.push({ from, until });
  }
  return stretches;
};

/**
 * The table: a zone, and one whose older data are right for it from the first instant that a release changed. A zone that
 * differed once has its old rules again afterwards.
 * @param {string} text
 */
export const zoneChanges = (text) => {
  const [oldest, ...releases] = releasesIn(text);
  if (oldest === undefined) throw new Error('scripts/zones.txt is empty');
  const newest = new Map([oldest, ...releases].flatMap(({ zones }) => [...zones]));
  const changed = new Set(releases.flatMap(({ zones }) => [...zones.keys()]));
  const steady = [...oldest.zones.keys()].filter((name) => !changed.has(name)).sort();
  /** @type {Map<string, { release: string, zones: string[], from: string, until: string | undefined, as: string }>} */
  const rows = new Map();
  for (const name of changed) {
    let before = /** @type {History} */ (oldest.zones.get(name));
    const own = releases.flatMap(({ release, zones }) => {
      const history = zones.get(name);
      if (history === undefined) return [];
      const stretches = differences(before, history);
      before = history;
      return stretches.length === 0 ? [] : [{ release, stretches }];
    });
    for (const [index, { release, stretches }] of own.entries()) {
      const from = /** @type {Stretch} */ (stretches[0]).from;
      const next = own[index + 1]?.stretches[0]?.from ?? end;
      const until = stretches.length === 1 && stretches[0] ? Math.min(stretches[0].until, next) : next;
      if (until <= from) continue;
      const history = /** @type {History} */ (newest.get(name));
      const isRight = (/** @type {string} */ other) =>
        differences(/** @type {History} */ (oldest.zones.get(other)), history, from).every(
          (each) => each.from >= until,
        );
      const region = name.replace(/\/.*/, '/');
      const as =
        steady.find((other) => other.startsWith('Etc/') && isRight(other)) ??
        steady.find((other) => other.startsWith(region) && isRight(other));
      if (as === undefined) throw new Error(`No zone has had the new rules of ${name} before ${release}`);
      const row = { release, zones: [], from: timeText(from), until: until < end ? timeText(until) : undefined, as };
      const key = JSON.stringify(row);
      rows.set(key, { ...row, zones: [...(rows.get(key)?.zones ?? []), name].sort() });
    }
  }
  const changes = [...rows.values()].map((row) => ({ ...row, zones: row.zones.join(' ') }));
  return { release: releases.at(-1)?.release ?? oldest.release, changes };
};

/** The clock changes in a compiled file (RFC 9636). @param {Buffer} data @returns {History} */
const readCompiled = (data) => {
  const counts = (/** @type {number} */ start) =>
    Array.from({ length: 6 }, (_, index) => data.readUInt32BE(start + 20 + 4 * index));
  const [utc = 0, standard = 0, leaps = 0, times = 0, types = 0, letters = 0] = counts(0);
  // Data with 64 bits come after those with 32.
  const second = 44 + times * 5 + types * 6 + letters + leaps * 8 + standard + utc;
  const [, , , count = 0] = counts(second);
  const typesFrom = second + 44 + count * 9;
  const offsetOfType = (/** @type {number} */ type) => data.readInt32BE(typesFrom + 6 * type);
  const all = Array.from({ length: count }, (_, index) => ({
    at: Number(data.readBigInt64BE(second + 44 + index * 8)),
    offset: offsetOfType(data.readUInt8(second + 44 + count * 8 + index)),
  }));
  const rule = data.toString('latin1').split('\n').at(-2) ?? '';
  if (rule.includes(',') && (all.at(-1)?.at ?? 0) < end)
    throw new Error('The data have no clock changes until 2037: compile them with zic -b fat');
  const before = all.findLast(({ at }) => at <= first)?.offset ?? offsetOfType(0);
  /** @type {History} */
  const history = [{ at: first, offset: before }];
  for (const change of all.filter(({ at }) => at > first && at < end))
    if (change.offset !== history.at(-1)?.offset) history.push(change);
  return history;
};

/** The name of the release in a directory. @param {string} directory */
const releaseIn = async (directory) => {
  const text = await readFile(join(directory, 'tzdata.zi'), 'utf8').catch(() => undefined);
  return { release: /^# version (\S+)/.exec(text ?? '')?.[1], text };
};

/** Adds the zones that differ from those in the file. @param {string} directory */
const add = async (directory) => {
  const { release, text } = await releaseIn(directory);
  if (release === undefined || text === undefined) throw new Error(`${directory} has no tzdata.zi with a version`);
  const before = await readFile(input, 'utf8').catch(() => '');
  const known = new Map(releasesIn(before).flatMap(({ zones }) => [...zones]));
  /** @type {Release} */
  const added = { release, zones: new Map() };
  for (const [, target, link] of text.matchAll(/^(?:Z (\S+) |L \S+ (\S+)$)/gm)) {
    const name = /** @type {string} */ (target ?? link);
    const history = readCompiled(await readFile(join(directory, name)));
    const old = known.get(name);
    if (old === undefined || historyText(old) !== historyText(history)) added.zones.set(name, history);
  }
  await writeFile(input, before + releaseText(added));
  process.stdout.write(`${release}: ${[...added.zones.keys()].slice(0, 20).join(' ') || 'no changes'}\n`);
};

/** Fails if this system knows a newer release. Only where there is one: not on Windows, nor in a bare container. */
export const checkRelease = async (directory = '/usr/share/zoneinfo') => {
  const { release } = await releaseIn(directory);
  const own = zoneChanges(await readFile(input, 'utf8')).release;
  if (release === undefined) return `Not compared with the tz database: ${join(directory, 'tzdata.zi')} is missing.`;
  if (release > own)
    throw new Error(
      `The tz database has the release ${release}, and scripts/zones.txt ends with ${own}. docs/support.md says what to do.`,
    );
  return `Zones are right up to the release ${own} of the tz database; this system has ${release}.`;
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  failInWords();
  const [word, directory] = process.argv.slice(2);
  if (word === 'add' && directory !== undefined) await add(directory);
  else process.stdout.write(`${await checkRelease(word)}\n`);
}
