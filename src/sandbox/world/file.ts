import { hash } from 'node:crypto';
import { dotted, problemOf } from '../../api/wording.ts';
import { spell } from '../../base/words.ts';
import { readTime } from '../../time/read.ts';
import { type FileProblem, readYaml } from '../../yaml-file.ts';
import { localTime } from '../rules/local-time.ts';
import type { WorldFile } from '../seed/name.ts';
import type { ReadWhen } from './draft.ts';
import { rowsOf } from './rows.ts';
import { World } from './schema.ts';

/** Times as people write them, and `+3d 10:00`: a time of day some days from now. */
const readWhen: ReadWhen = (text, now, zone) => {
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/.test(text) && !Number.isNaN(Date.parse(text)))
    return { ok: true, value: Date.parse(text) };
  const [, days, clock] = /^([+-]\d+[dw]) +(\d\d?:\d\d)$/.exec(text) ?? [];
  const isWholeDay = zone === undefined || days !== undefined;
  const reading = readTime(days ?? text, { zone: zone ?? 'UTC', now, edge: isWholeDay ? 'since' : undefined });
  if (!reading.ok) return { ok: false, problem: spell(reading.problem) };
  const instant = Date.parse(reading.instant);
  if (clock !== undefined) return readWhen(`${localTime(zone ?? 'UTC', instant).date} ${clock}`, now, zone);
  // Times are read to the second.
  return { ok: true, value: instant + (/^[+-]/.test(text) ? now % 1000 : 0) };
};

/** Reads a world file. All its mistakes are found at once; `now` is what its relative times count from. */
export const readWorld = (
  text: string,
  name: string,
  now: number,
): { ok: true; value: WorldFile } | { ok: false; problems: FileProblem[] } => {
  const content = readYaml(text, name, World);
  if (!content.ok) return content;
  const { value: world, problem } = content;
  const { problems } = rowsOf(world, now, readWhen);
  if (problems.length > 0)
    return {
      ok: false,
      problems: problems.map(({ path, message }) => problem(path, problemOf(dotted(path), message))),
    };
  return { ok: true, value: { name, digest: hash('sha256', JSON.stringify(world), 'hex'), world, read: readWhen } };
};
