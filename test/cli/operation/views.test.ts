import { beforeAll, describe, expect, it } from 'vitest';
import { allOperations, type ResourceName } from '../../../src/api/catalogue.ts';
import { views } from '../../../src/cli/operation/views.ts';
import { createPrinter } from '../../../src/output/printer.ts';
import type { Page } from '../../../src/output/view.ts';
import { timeLabel } from '../../../src/time/label.ts';
import { poisoned } from '../../every-command/conversations.ts';
import { hostile, lacking, paper } from '../../output/samples.ts';
import { expectGolden } from '../../support/golden.ts';
import { createWorld } from '../../support/run.ts';
import { sample } from '../../support/tier.ts';

type Json = Record<string, unknown>;

/** A command whose JSON has a record of each type. `{event}` is a coming event. */
const sources: Partial<Record<ResourceName, string>> = {
  event: 'events get {event} --with invitees',
  invitee: 'invitees list {event}',
  'event type': 'event-types get "Support call"',
  'availability schedule': 'availability list --event-type "Intro call"',
  organization: 'orgs get',
  member: 'members list',
  invitation: 'invitations list',
  group: 'groups list',
  'group relationship': 'groups relationships',
  user: 'users me',
  webhook: 'webhooks list --scope group',
  'protected resource': 'mcp metadata',
};

const records: Record<string, Json> = {
  share: {
    scheduling_links: [{ booking_url: 'https://book.example/d/1', owner: 'https://api.example/event_types/T1' }],
    share_override: { name: 'Call with Ada', duration: 30 },
  },
  'scheduling link': { booking_url: 'https://book.example/d/1', owner: 'https://api.example/event_types/T1' },
};

beforeAll(async () => {
  const world = await createWorld({ env: { SCHED_MCP_URL: 'http://127.0.0.1:4010' } });
  const event = (await world.run('events list --since tomorrow --limit 1 -o id')).stdout.trim();
  for (const [name, line] of Object.entries(sources)) {
    const { stdout } = await world.run(`${line.replace('{event}', event)} --json`);
    records[name] = [JSON.parse(stdout)].flat()[0];
  }
  records.invitee!.event = records.event;
  Object.assign(records.event!, {
    meeting_notes_plain: null,
    meeting_notes_html: '<p>Bring the <b>contract</b> &amp; a pen.</p><p>Second floor, please ring the bell twice.</p>',
  });
  Object.assign(records.invitee!, {
    no_show: { uri: 'https://api.example/no_shows/N1', created_at: '2026-11-16T10:00:00Z' },
    payment: { external_id: 'x', provider: 'stripe', amount: 120, currency: 'EUR', terms: null, successful: true },
    tracking: { utm_campaign: 'autumn', utm_source: null },
  });
});

const pages = Object.entries(views).flatMap(([name, { page }]) => (page === undefined ? [] : [[name, page] as const]));

const draw = async (name: string, record: object, columns: number, accessible = false): Promise<string> => {
  const stdout = paper(true, columns);
  const zoneLabel = 'Europe/Paris';
  const now = Date.parse('2026-11-15T18:00:00Z');
  const showTime = (text: string) => timeLabel(text, zoneLabel, now) ?? text;
  const base = { format: 'table', header: false, raw: false, color: undefined, showTime, zoneLabel, now } as const;
  await createPrinter({ ...base, accessible, stdout }).one(views[name as ResourceName], record);
  return stdout.text;
};

/** The first name of each path that a page reads. */
const fieldsOf = ({ title, lines, embedsEvent }: Page): string[] => {
  const paths = [title, ...lines.map(({ value }) => value), embedsEvent && 'event'].filter(
    (path) => typeof path === 'string',
  );
  // What sched adds itself is no field of the service.
  return paths.map((path) => path.split('.')[0]!).filter((field) => field !== '_sched');
};

describe('pages', () => {
  it('exist for every record that a command shows alone, and read only fields it has', async () => {
    const rows = await allOperations();
    const shapes = new Map(rows.map(({ reply }) => [reply.of.name, Object.keys(reply.of.record.shape)]));
    const alone = rows.filter(({ reply }) => reply.kind !== 'many' && Object.keys(reply.of.record.shape).length > 0);
    const withPage = pages.map(([name]) => name as string);
    // Of the records that only some services have, a list of the fields may do.
    const needed = alone.filter(({ optional, reply }) => !optional || withPage.includes(reply.of.name));
    expect([...new Set(needed.map(({ reply }) => reply.of.name))].sort()).toEqual(withPage.sort());
    for (const [name, page] of pages)
      for (const field of fieldsOf(page))
        expect([name, shapes.get(name)]).toEqual([name, expect.arrayContaining([field])]);
  });

  it('have labels in words, each once', () => {
    for (const [, page] of pages) {
      const labels = page.lines.map(({ label }) => label);
      expect(new Set(labels).size).toBe(labels.length);
      for (const label of labels) expect(label).toMatch(/^[A-Z][A-Za-z' -]*$/);
    }
  });

  describe.each(pages)('%s', (name) => {
    it.each([40, 80])('matches the stored screen at %i columns', async (columns) => {
      await expectGolden(await draw(name, records[name]!, columns), `page-${name.replaceAll(' ', '-')}.${columns}.txt`);
    });

    it('shows no HTML, no tracking and no empty value', async () => {
      const text = await draw(name, records[name]!, 80);
      expect(text).not.toMatch(/<\/?[a-z]+>|utm_|undefined|null|\[object|–$/m);
    });

    it('shows no empty value, whichever field is missing', async () => {
      for (const [lack, record] of sample(lacking(records[name]!), 6))
        for (const accessible of [false, true])
          expect(await draw(name, record, 80, accessible), lack).not.toMatch(
            /undefined|(?<!":)\bnull\b|NaN|Invalid|\[object/,
          );
    });

    it('is harmless with hostile text in all fields', async () => {
      const dangerous = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u200B\u2060\uFEFF\u00AD\u3164\u115F\u1160\uFFA0]/u;
      // Each shift puts other hostile texts into each field.
      for (const next of sample([...hostile.keys(), hostile.length, hostile.length + 1], 2))
        for (const [columns, accessible] of [
          [80, false],
          [40, false],
          [80, true],
        ] as const) {
          const text = await draw(
            name,
            poisoned(records[name], () => false, '', { next }) as object,
            columns,
            accessible,
          );
          expect(text.replaceAll('\n', '')).not.toMatch(dangerous);
          expect(text).not.toMatch(/##(?:\[|vso\[)|^\s*::/im);
        }
    });

    it('accepts values of any other kind', async () => {
      for (const other of [null, 7, true, 'x', [], {}, [null], [[{}]], { a: { b: 1 } }]) {
        const record = Object.fromEntries(Object.keys(records[name]!).map((field) => [field, other]));
        for (const accessible of [false, true])
          expect(await draw(name, record, 80, accessible)).not.toMatch(/undefined|\[object/);
      }
    });
  });
});
