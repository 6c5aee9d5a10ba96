import { beforeEach, describe, expect, it } from 'vitest';
import type { Send } from '../../../src/http/message.ts';
import { createWorld, outputs } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';

let world: Awaited<ReturnType<typeof createWorld>>;
beforeEach(async () => {
  world = await createWorld({ home: temporaryDirectory('pages'), env: { NO_COLOR: '1' } });
});

const onTerminal = (line: string, more: Parameters<typeof world.run>[1] = {}) =>
  world.run(line, { terminals: outputs, ...more });

const booking =
  'invitees create --event-type "Support call" --start 2026-12-01T13:00:00Z --email ada@example.com --name "Ada Byron" --timezone America/New_York --tz Europe/Berlin';

/** The service, except that it fails to show single events. */
const withoutEvents: Send = async (request) =>
  request.method === 'GET' && /\/scheduled_events\/[^/?]+$/.test(request.url)
    ? { status: 403, headers: {}, body: '{}' }
    : world.service(request);

/** Books, and shows the page of the invitee. */
const bookAndShow = async (line: string, options: Parameters<typeof onTerminal>[1] = {}) => {
  const { uri } = JSON.parse((await world.run(`${line} --json`)).stdout);
  return onTerminal(`invitees get ${uri} --tz Europe/Berlin`, options);
};

describe('pages: a booking', () => {
  it('shows the meeting, both times, the place and the links', async () => {
    const { code, stdout } = await bookAndShow(booking);
    expect(code).toBe(0);
    const id = /Event ID +(\w+)/.exec(stdout)![1]!;
    const invitee = /^ID +(\w+)/m.exec(stdout)![1]!;
    expect(stdout).toBe(
      [
        'Ada Byron',
        'Email           ada@example.com',
        'Meeting         Support call',
        'When            Tue 1 Dec 14:00–14:30 (Europe/Berlin, 30 min)',
        "Invitee's time  Tue 1 Dec 08:00–08:30 (America/New_York)",
        'Where           GoTo Meeting',
        `Join            https://meet.northlight.example/m/${id.toLowerCase()}`,
        'Hosts           Kofi Mensah <kofi.mensah@northlight.example>',
        'Status          active',
        'Booked          Sun 15 Nov 19:00 (Europe/Berlin)',
        `Cancel          http://127.0.0.1:4010/cancellations/${invitee}`,
        `Reschedule      http://127.0.0.1:4010/reschedulings/${invitee}`,
        `Event ID        ${id}`,
        `ID              ${invitee}`,
        '',
      ].join('\n'),
    );
  });

  it('leaves out the time of an invitee whose clock shows the same', async () => {
    const { stdout } = await bookAndShow(booking.replace('America/New_York', 'Europe/Paris'));
    expect(stdout).not.toContain("Invitee's time");
    expect(stdout).toMatch(/^Time zone +Europe\/Paris$/m);
  });

  it('succeeds without the event, if that cannot be read', async () => {
    const { code, stdout } = await bookAndShow(booking, { send: withoutEvents });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Ada Byron\nEmail /);
    expect(stdout).not.toContain('Meeting');
  });

  it.each(sample(['', '--json', '-o tsv', '--fields name', '--jq .name'], 2))('reads no event for %j', async (way) => {
    const { code, requests } = await world.run(`${booking} ${way}`, way.startsWith('--') ? { terminals: outputs } : {});
    expect(code).toBe(0);
    expect(requests.filter(({ url }) => url.includes('/scheduled_events'))).toEqual([]);
  });
});

describe('pages: a change', () => {
  it.each(['"Intro call"', 'YBL6DUNR9FS4PNP6'])(
    'shows old and new values of an event type named by %s',
    async (type) => {
      const { code, stderr } = await onTerminal(`event-types update ${type} --name "Intro chat" --duration 20`);
      expect(code).toBe(0);
      expect(stderr).toMatch(/Name +Intro call → Intro chat\n *Length +15 min → 20 min\n/);
      expect(stderr.match(/→/g)).toHaveLength(2);
    },
  );

  it('shows the removed and added hours of a schedule', async () => {
    const { code, stderr } = await onTerminal(
      'availability update 7XMLWK4XT9XSSFB2 --event-type "Intro call" --rule "monday 10:00-12:00" --yes',
    );
    expect(code).toBe(0);
    expect(stderr).toContain('every Monday: 09:00–12:30, 13:00–17:00 → 10:00–12:00\n');
  });

  it('prints the changed record unmarked in a pipe', async () => {
    const { stdout } = await world.run('event-types update "Intro call" --duration 20');
    expect(stdout).toContain('duration\t20\n');
    expect(stdout).not.toContain('→');
  });
});

describe('pages: names instead of IDs', () => {
  it('lists the members of a group by name, and their URIs with -o id', async () => {
    const { code, stdout } = await world.run('groups members "Customer team"');
    expect(code).toBe(0);
    expect(stdout.split('\n')[0]).toBe(
      'Tomás Ferreira\ttomas.ferreira@northlight.example\tmember\thttp://127.0.0.1:4010/organization_memberships/L9UWUQHVLBD3MGX8',
    );
    const ids = (await world.run('groups members "Customer team" -o id')).stdout;
    const { stdout: member } = await onTerminal(`members get ${ids.split('\n')[0]}`);
    expect(member).toMatch(/^Tomás Ferreira\n/);
  });

  it('asks for the group', async () => {
    const { code, stderr } = await world.run('groups members');
    expect(code).toBe(2);
    expect(stderr).toContain('Missing argument <group>');
    expect((await world.run('groups members http://127.0.0.1:4010/users/U1')).stderr).toMatch(
      /^error: <group> must be /,
    );
  });

  it('has a column for each question of one form, and none without a form', async () => {
    const one = await onTerminal('routing-forms submissions "Talk to us" --limit 2', { columns: 140 });
    expect(one.stdout).toMatch(/^Submissions\nSUBMITTED \(.*\) +Your name +Your email address +What is it about\? /);
    const all = await onTerminal('routing-forms submissions --limit 2', { columns: 140 });
    expect(all.stdout).toMatch(/^Submissions of all routing forms\nSUBMITTED \(.*\) +ANSWERS /);
  });

  it('makes hostile questions harmless in the heading', async () => {
    const send: Send = async (request) => {
      const reply = await world.service(request);
      if (!request.url.includes('/routing_form_submissions')) return reply;
      return { ...reply, body: reply.body.replaceAll('Your name', '\\u001b]0;owned\\u0007\\u202eName\\n##[x]') };
    };
    for (const way of ['', '--accessible']) {
      const { stdout, stderr } = await onTerminal(`routing-forms submissions "Talk to us" ${way}`, {
        send,
        columns: 200,
      });
      expect(stdout).toContain('\\x1b]0;owned\\x07<U+202E>Name\\n# #[x]');
      expect(stdout + stderr).not.toMatch(/[\x00-\x09\x0b-\x1a\x1c-\x1f\u202e]|\x1b\]|##\[/);
    }
  });

  it('says in the activity log what was changed', async () => {
    await world.run('event-types update "Intro call" --duration 20');
    const { stdout } = await onTerminal('activity list --limit 1', { columns: 120 });
    expect(stdout).toMatch(/Amara Lindqvist +changed the event type Intro call · duration/);
  });

  it('shows the user of a profile', async () => {
    const added = await onTerminal('profiles add work --base-url https://api.example.com --user ada@engine.example');
    expect(added.stdout).toMatch(/^work\nCurrent +yes\n(?:.*\n)*User +ada@engine\.example\n/);
    expect((await world.run('profiles list')).stdout).toMatch(/\tada@engine\.example\n$/);
  });
});
