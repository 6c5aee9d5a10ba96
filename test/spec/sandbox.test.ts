import { describe, expect, test } from 'vitest';
import { eventType, openWorld, type World } from '../sandbox/world.ts';
import { loadTranscripts, type Transcript } from './transcript.ts';

const transcripts = await loadTranscripts();
const origin = 'http://127.0.0.1:4010';

type Json = Record<string, unknown>;

const idOf = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1);

/** The list to read an ID of this name from. */
const places: Record<string, (ids: Record<string, string>) => string> = {
  EVENT_ID: ({ USER_ID }) => `/scheduled_events?user=${origin}/users/${USER_ID}&status=active`,
  INVITEE_ID: ({ EVENT_ID }) => `/scheduled_events/${EVENT_ID}/invitees`,
  SCHEDULE_ID: ({ EVENT_TYPE_ID }) =>
    `/event_type_availability_schedules?event_type=${origin}/event_types/${EVENT_TYPE_ID}`,
  MEMBERSHIP_ID: ({ ORGANIZATION_ID }) =>
    `/organization_memberships?organization=${origin}/organizations/${ORGANIZATION_ID}`,
  GROUP_ID: ({ ORGANIZATION_ID }) => `/groups?organization=${origin}/organizations/${ORGANIZATION_ID}`,
  RELATIONSHIP_ID: ({ ORGANIZATION_ID }) =>
    `/group_relationships?organization=${origin}/organizations/${ORGANIZATION_ID}`,
  WEBHOOK_ID: ({ ORGANIZATION_ID }) =>
    `/webhook_subscriptions?scope=organization&organization=${origin}/organizations/${ORGANIZATION_ID}`,
  INVITATION_ID: ({ ORGANIZATION_ID }) =>
    `/organization_invitations?status=pending&organization=${origin}/organizations/${ORGANIZATION_ID}`,
  OTHER_MEMBERSHIP_ID: ({ ORGANIZATION_ID }) =>
    `/organization_memberships?role=user&organization=${origin}/organizations/${ORGANIZATION_ID}`,
  FORM_ID: ({ ORGANIZATION_ID }) => `/routing_forms?organization=${origin}/organizations/${ORGANIZATION_ID}`,
};

/** IDs from the test world for the placeholders in a transcript's request. */
const idsFor = async (world: World, { line, body }: Transcript): Promise<Record<string, string>> => {
  const me = (await world.get('/users/me')).body.resource;
  const ids: Record<string, string> = {
    USER_ID: idOf(me.uri),
    ORGANIZATION_ID: idOf(me.current_organization),
    EVENT_TYPE_ID: idOf(eventType('consultation')),
  };
  const asked = line + JSON.stringify(body ?? '');
  const needs = (name: string) => asked.includes(name) || (name === 'EVENT_ID' && asked.includes('INVITEE_ID'));
  for (const [name, place] of Object.entries(places)) {
    if (!needs(name)) continue;
    const { body } = await world.get(place(ids));
    ids[name] = idOf(body.collection[0].uri);
  }
  if (needs('NO_SHOW_ID')) {
    const marked = "SELECT doc ->> '$.no_show.uri' AS uri FROM invitees WHERE doc ->> '$.no_show.uri' IS NOT NULL";
    ids.NO_SHOW_ID = idOf(world.store.first<{ uri: string }>(marked)!.uri);
  }
  if (needs('OTHER_USER_ID')) {
    const { body } = await world.get(places.MEMBERSHIP_ID!(ids));
    ids.OTHER_USER_ID = body.collection
      .map(({ user }: { user: Json }) => idOf(String(user.uri)))
      .find((id: string) => id !== ids.USER_ID);
  }
  return ids;
};

const translate = (text: string, ids: Record<string, string>): string =>
  Object.entries(ids)
    // Longest names first, because `USER_ID` is part of `OTHER_USER_ID`.
    .toSorted(([a], [b]) => b.length - a.length)
    .reduce((done, [name, id]) => done.replaceAll(name, id), text)
    .replaceAll(/https:\/\/(api|mcp)\.example\.com/g, origin)
    .replaceAll(encodeURIComponent('https://api.example.com'), encodeURIComponent(origin));

const kindOf = (value: unknown) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

/** Differences between a reply and the documented shape. `null` matches anything; undocumented contents are skipped. */
const differences = (shown: unknown, answered: unknown, path: string, open: string[] = []): string[] => {
  const [a, b] = [kindOf(shown), kindOf(answered)];
  if (a === 'null' || b === 'null') return [];
  if (a !== b) return [`${path} is ${b}, documented as ${a}`];
  if (a === 'array') {
    const [first] = shown as unknown[];
    return first === undefined
      ? []
      : [...new Set((answered as unknown[]).flatMap((item) => differences(first, item, `${path}[]`, open)))];
  }
  const names = a === 'object' ? Object.keys(shown as Json) : [];
  if (names.length === 0) return [];
  return [
    ...Object.keys(answered as Json)
      .filter((name) => !names.includes(name) && !open.some((field) => path.endsWith(`.${field}`)))
      .map((name) => `${path}.${name} is not documented`),
    ...names.flatMap((name) =>
      Object.hasOwn(answered as Json, name)
        ? differences((shown as Json)[name], (answered as Json)[name], `${path}.${name}`, open)
        : [`${path}.${name} is missing`],
    ),
  ];
};

/** Removes rules, whose fields depend on their type. */
const withoutVariants = (reply: Json): Json =>
  JSON.parse(JSON.stringify(reply), (key, value) => (key === 'rules' ? [] : value)) as Json;

describe('sandbox', () => {
  test.each(Object.keys(transcripts))('answers %s as the documentation shows', async (name) => {
    const transcript = transcripts[name]!;
    const world = await openWorld({ isSentBothWays: true });
    const ids = await idsFor(world, transcript);
    const [method, path] = translate(transcript.line, ids).split(' ') as [string, string];
    const { status, body } = await world.call(method, path, {
      ...(transcript.body === undefined ? {} : { body: translate(JSON.stringify(transcript.body), ids) }),
      ...(transcript.headers.authorization === undefined ? { token: null } : {}),
    });
    expect([status, status === transcript.status ? '' : body]).toEqual([transcript.status, '']);
    expect(Object.keys(body)).toEqual(Object.keys(transcript.reply));
    if (Array.isArray(body.collection)) expect(body.collection).not.toEqual([]);
    expect(differences(withoutVariants(transcript.reply), body, 'reply', transcript.open)).toEqual([]);
  });

  test('differences include extra, missing and mistyped fields', () => {
    const shown = { resource: { uri: 'x', limit: 1, location: { type: 'y' }, tags: ['z'], free: {} } };
    const answered = { resource: { uri: 'x', limit: '1', location: { kind: 'y' }, tags: [1], free: { any: 1 } } };
    expect(differences(shown, answered, 'reply')).toEqual([
      'reply.resource.limit is string, documented as number',
      'reply.resource.location.kind is not documented',
      'reply.resource.location.type is missing',
      'reply.resource.tags[] is number, documented as string',
    ]);
  });
});
