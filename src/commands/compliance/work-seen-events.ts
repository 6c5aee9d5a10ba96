import { hash } from 'node:crypto';
import type { RandomBytes } from '../../base/system.ts';
import { rm } from '../../node/files.ts';
import { attempt, realDisk } from '../../state/disk.ts';
import type { Place } from './work-finding.ts';

/*
 * Which events a look has read, and whom it found in them, so that one that was killed doesn't read them again. A line per
 * event: its digest, then `PLACE:MARK` for each person. It has no address and no ID.
 */

export interface SeenEvents {
  has(event: string): boolean;
  /** Where each person was found, by the mark. */
  readonly found: ReadonlyMap<string, Set<Place>>;
  add(event: string, found: readonly (readonly [mark: string, place: Place])[]): void;
  close(): Promise<void>;
}

const digestOf = (event: string): string => hash('sha256', event).slice(0, 32);

export const forgetSeen = (path: string): Promise<void> => attempt('remove', path, () => rm(path, { force: true }));

export const openSeen = async (path: string, randomBytes: RandomBytes): Promise<SeenEvents> => {
  const stored = await realDisk.read(path);
  if (stored === undefined) await realDisk.create(path, '', Buffer.from(randomBytes(8)).toString('hex'));
  const text = stored?.toString('latin1') ?? '';
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const file = await realDisk.open(path);
  if (whole.length < text.length) await file.truncate(whole.length);
  const seen = new Set<string>();
  const found = new Map<string, Set<Place>>();
  const note = ([event = '', ...people]: readonly string[]): void => {
    seen.add(event);
    for (const person of people) {
      const [place = '', mark = ''] = person.split(':');
      found.set(mark, (found.get(mark) ?? new Set()).add(place as Place));
    }
  };
  for (const line of whole.split('\n').slice(0, -1)) note(line.split(' '));
  return {
    has: (event) => seen.has(digestOf(event)),
    found,
    add: (event, people) => {
      const words = [digestOf(event), ...people.map(([mark, place]) => `${place}:${mark}`)];
      file.append(`${words.join(' ')}\n`);
      note(words);
    },
    close: () => file.close(),
  };
};
