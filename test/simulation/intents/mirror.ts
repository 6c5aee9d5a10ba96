import type { MirrorFacts } from '../../../src/sandbox/mirror/open.ts';
import type { Dice } from '../dice.ts';
import { inputs, type Machine } from '../machine.ts';
import { nameOf, type Scene } from '../scene.ts';
import { common, type Intent, type Kind } from './intent.ts';

/*
 * R67: who was deleted is in no mirror of the machine any more, and no sync brings them back, although the service still
 * has them. R68: a sync that says it is complete has everybody who was booked before it began.
 */

/** The addresses that nobody may find in the mirror of a machine any more. */
const forgottenAt = new WeakMap<Machine, Set<string>>();

const factsOf = (scene: Scene, machine: Machine): MirrorFacts | undefined => {
  const database = scene.mirrors.get(machine)!;
  const isThere = database.first("SELECT 1 FROM sqlite_master WHERE name = 'mirror_events'");
  const row = isThere ? database.first<{ value: string }>("SELECT value FROM meta WHERE key = 'mirror'") : undefined;
  return row && JSON.parse(row.value);
};

/** Who is in the mirror although they were deleted. */
export const wrongPeople = (scene: Scene, machine: Machine): string | undefined => {
  const forgotten = forgottenAt.get(machine);
  if (forgotten === undefined || factsOf(scene, machine) === undefined) return undefined;
  const database = scene.mirrors.get(machine)!;
  const texts = ['invitees', 'events', 'submissions', 'activity', 'sent'].flatMap((table) =>
    database.all<{ doc: string | null }>(`SELECT doc FROM ${table}`).map(({ doc }) => doc ?? ''),
  );
  const left = [...forgotten].find((email) => texts.some((text) => text.includes(email)));
  return left === undefined ? undefined : `R67: ${left} was deleted, and is in the mirror of ${machine.name}`;
};

/** The clocks of the service and of a machine differ by less, once a reply has said what time it is. */
const clockMs = 5000;

/** Who is missing in a mirror that is complete. */
const missingPeople = (scene: Scene, machine: Machine): string | undefined => {
  const facts = factsOf(scene, machine);
  if (facts?.asOf === undefined) return 'R68: the mirror is not complete';
  const has = (uri: string, name: string) =>
    scene.mirrors
      .get(machine)!
      .all<{ uri: string; created_at: string }>(
        "SELECT doc ->> 'uri' AS uri, doc ->> 'created_at' AS created_at FROM invitees WHERE doc ->> 'uri' = ?",
        uri,
      )
      .some((each) => nameOf(each) === name);
  const missing = scene.model
    .everBooked()
    .find(
      ({ at, start, uri, name }) =>
        at < facts.asOf! - clockMs &&
        Date.parse(start) >= facts.since &&
        Date.parse(start) < facts.until &&
        !has(uri, name),
    );
  return missing && `R68: ${missing.uri} is not in the mirror of ${machine.name}, which is as of ${facts.asOf}`;
};

const syncIntent = (scene: Scene, dice: Dice, machine: Machine): Intent => {
  let isComplete = false;
  return {
    argv: [
      ...['mirror', 'sync', '--since', '-1h', '--until', '2028-01-01', ...common],
      ...(dice.chance(0.5) ? ['--full-speed'] : []),
    ],
    onEnd: ({ code }) => {
      isComplete ||= code === 0;
    },
    missing: () => (isComplete ? missingPeople(scene, machine) : undefined),
    // Another process of this machine syncs.
    settles: ({ code }) => code === 7,
  };
};

/** Deletes somebody who is in the mirror of this machine, or at the service only. */
const forgetIntent = (scene: Scene, email: string, machine: Machine): Intent => {
  const path = `${inputs}/${scene.nextNumber()}.txt`;
  machine.volume.place(path, email);
  // Who was never mirrored needs no mark.
  const hadMirror = factsOf(scene, machine) !== undefined;
  return {
    argv: ['compliance', 'delete', '--from', path, '--json', '--confirm', '1'],
    missing: () => {
      if (!scene.model.isErased(email)) return 'R34: the address was never sent';
      if (!hadMirror) return undefined;
      forgottenAt.set(machine, (forgottenAt.get(machine) ?? new Set()).add(email));
      return wrongPeople(scene, machine);
    },
    isRun: true,
    hidesAddresses: true,
  };
};

export const mirror: Kind = {
  commands: ['mirror sync', 'compliance delete'],
  weight: 3,
  async make(scene, dice, machine) {
    const email = `mirrored${scene.nextNumber()}@sim.example`;
    const invitee = { email, name: 'Mia', timezone: 'UTC' };
    await scene.visit('POST', '/invitees', { event_type: scene.group, start_time: scene.nextSlot(), invitee });
    if (dice.chance(0.6)) return syncIntent(scene, dice, machine);
    const isThere = factsOf(scene, machine) !== undefined;
    const found = isThere
      ? scene.mirrors
          .get(machine)!
          .first<{ email: string }>(
            "SELECT doc ->> 'email' AS email FROM invitees WHERE doc LIKE '%mirrored%@sim%' LIMIT 1",
          )
      : undefined;
    // Who was deleted before there was a mirror is not marked, and the same run is not sent again.
    const isKnown = found === undefined || scene.model.erasures.has(found.email);
    return forgetIntent(scene, isKnown ? email : found.email, machine);
  },
};
