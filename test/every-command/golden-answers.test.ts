import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { width } from '../../src/output/width.ts';
import { expectGolden } from '../support/golden.ts';
import { createWorld, outputs, terminals } from '../support/run.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { sample } from '../support/tier.ts';

/**
 * What people read after a write, at a question and in a list without rows. Each line runs in a sandbox of its own;
 * `vitest -u` writes the screens, and a person reviews them.
 */
const booking = 'invitees create --email ada@example.com --name "Ada Byron" --timezone Europe/Paris';
const answers: Record<string, string> = {
  booked: `${booking} --event-type "Support call" --start 2026-11-26T14:00:00Z`,
  'time-refused': `${booking} --event-type "Intro call" --start 2026-11-21T12:20:00Z`,
  'booked-in-bulk': 'invitees create --from bookings.csv --event-type "Intro call" --yes',
  canceled: 'events cancel next --yes',
  'canceled-several': 'events cancel --since monday --until monday --yes --reason "The host is ill"',
  moved: 'events move next --to 2026-11-26T12:00:00Z --yes',
  'move-refused': 'events move next --to 2026-11-26T14:00:00Z --yes',
  'days-off': 'availability off 2026-12-24..2026-12-31 --yes',
  'hours-changed': `availability update --event-type "Intro call" --rule 'friday 09:00-12:00' --yes`,
  'event-type-changed': 'event-types update "Intro call" --duration 20 --no-active',
  'event-type-unchanged': 'event-types update "Intro call" --duration 15',
  invited: 'invitations create --email eve@example.com --yes',
  subscribed: 'webhooks create --url http://127.0.0.1:9/ --events invitee.created',
  'link-created': 'shares create --event-type "Intro call"',
  'question-cancel': 'events cancel next',
  'question-off': 'availability off tomorrow',
  'list-empty': 'events list --since 2031-01-01 --until 2031-01-01',
  'list-today': 'events list --today',
  'window-empty': 'events list --since monday --until today',
  'webhooks-list': 'webhooks list',
  ratelimit: 'ratelimit',
  bare: '',
  'help-all': '--help',
};

const screens: Record<string, { columns: number; env?: Record<string, string>; flags?: string }> = {
  40: { columns: 40 },
  80: { columns: 80 },
  ascii: { columns: 80, env: { LC_ALL: 'C' } },
  accessible: { columns: 80, flags: '--accessible' },
};

const bookings = `email,name,timezone,start
ada@example.com,Ada Byron,Europe/Paris,2026-11-26T14:00:00Z
kurt@example.com,Kurt Gödel,Europe/Vienna,2026-11-28T03:00:00Z
`;

describe.each(Object.entries(answers))('golden: answer %s', (name, line) => {
  for (const [kind, { columns, env = {}, flags = '' }] of sample(Object.entries(screens), 1)) {
    it(`matches the stored screen: ${kind}`, async () => {
      const directory = temporaryDirectory('answer');
      const path = `${directory}/bookings.csv`;
      writeFileSync(path, bookings);
      const { run } = await createWorld({ env: { SCHED_CACHE_DIR: directory, SCHED_STATE_DIR: directory, ...env } });
      const isAsked = name.startsWith('question');
      const { screen } = await run(`${line.replace('bookings.csv', path)} ${flags}`.trim(), {
        ...{ columns, home: directory, terminals: isAsked ? terminals : outputs },
        ...(isAsked && { stdin: 'n\n' }),
      });
      // The status line is drawn over itself.
      const last = screen.replace(/^[^\n]*\r\x1b\[K/gm, '');
      const shown = last.replaceAll(`${directory}/`, '').replaceAll(directory, '');
      const wide = shown.split('\n').filter((text) => width(text) > columns && !text.includes('://'));
      // A program that reads the screen breaks lines itself.
      if (kind !== 'accessible') expect(wide).toEqual([]);
      if (kind === 'ascii') expect(shown.replace(/[\p{L}]/gu, '')).toMatch(/^[\n -~]*$/);
      await expectGolden(`$ sched ${line}\n${shown}`, `answer-${name}.${kind}.txt`);
    });
  }
});
