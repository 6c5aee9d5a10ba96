import { beforeAll, expect, test } from 'vitest';
import { createWorld, jsonOf, type TestWorld, writes } from '../support/run.ts';
import { sample } from '../support/tier.ts';

let world: TestWorld;
let uris: { event: string; invitee: string; type: string; user: string; organization: string };
beforeAll(async () => {
  world = await createWorld();
  const [event] = jsonOf(await world.run('events list --since now --until +3d --status active --limit 1 --json'));
  const [invitee] = jsonOf(await world.run(`invitees list ${event.uri} --limit 1 --json`));
  const me = jsonOf(await world.run('users me --json'));
  uris = {
    ...{ event: event.uri, invitee: invitee.uri, type: event.event_type },
    ...{ user: me.uri, organization: me.current_organization },
  };
});

/** A command with the URI of a record in it, on its command line, in its input or in the environment. */
const places: [line: string, kind: keyof typeof uris, more?: (uri: string) => object][] = [
  ['events get URI', 'event'],
  ['events cancel URI --yes', 'event'],
  ['events cancel --from - --yes', 'event', (uri) => ({ stdin: `${uri}\n` })],
  ['events move --from - --yes', 'event', (uri) => ({ stdin: `event,to\n${uri},2026-11-30T09:00:00Z\n` })],
  ['invitees get URI', 'invitee'],
  ['invitees no-show URI --yes', 'invitee'],
  ['invitees no-show URI --undo --yes', 'event'],
  ['event-types get URI', 'type'],
  ['event-types update URI --name X --yes', 'type'],
  ['shares create --event-type URI', 'type'],
  ['events list --org URI', 'organization'],
  ['events list --user URI', 'user'],
];

/** Addresses that are not that of the record, though they end like it. */
const wrong: Record<string, (uri: string) => string> = {
  'after another one': (uri) => `${new URL(uri).origin}/scheduled_events/${uri}`,
  "after a path that is not the service's": (uri) => uri.replace(/(:\d+)/, '$1/x/y'),
  'after another record': (uri) => uri.replace(/(:\d+)/, '$1/organizations/O1'),
  'after an empty segment': (uri) => uri.replace(/(:\d+)/, '$1/'),
};

const cells = places.flatMap((place) => Object.keys(wrong).map((how) => [place[0], how, place] as const));

// R14
test.each(sample(cells, 1, ([line]) => line))('%s: no URI %s', async (line, how, [, kind, more]) => {
  const right = uris[kind];
  const uri = wrong[how]!(right);
  expect(uri).not.toBe(right);
  const result = await world.run(line.replace('URI', uri), more?.(uri) ?? {});
  expect([result.code, writes(result)], result.stderr).toEqual([2, []]);
  expect(result.stderr).not.toMatch(/\{\w+\}/);
});
