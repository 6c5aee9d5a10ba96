import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { HttpRequest, Send } from '../../../src/http/message.ts';
import { createLog } from '../../../src/sandbox/admin/log-admin.ts';
import { createFaultScript, readFault } from '../../../src/sandbox/faults/faults.ts';
import { withFaults } from '../../../src/sandbox/faults/with-faults.ts';
import { ownerToken } from '../../../src/sandbox/oauth/ready-tokens.ts';
import { openSandbox } from '../../../src/sandbox/open.ts';
import { createWorld, type Result, someday, virtualClock, type WorldOptions } from '../../support/run.ts';
import { dontWaitForDisk, seededFile } from '../../support/seeded.ts';
import { closeLater, temporaryDirectory } from '../../support/temporary.ts';

export const canary = 'canary-thirza';
export const address = (index: number): string => `${canary}.${index}@people.example`;

const week = 7 * 86_400_000;

/**
 * A sandbox with people who booked, of whom every tenth has canceled and every fifth has filled in a form only. Their
 * deletion is accepted, and after eight days a few are still there.
 */
export const openDeletion = async (count: number, fault?: string, { limits = false } = {}) => {
  const clock = virtualClock(someday);
  const usualOrigin = 'http://127.0.0.1:4010';
  const sandbox = await openSandbox({ file: await seededFile(someday), clock, limits, usualOrigin });
  const { store } = sandbox;
  dontWaitForDisk(store);
  closeLater(() => sandbox.close());
  const one = (table: string) =>
    store.first<Record<'doc' | 'organization' | 'event_type' | 'form', string>>(`SELECT * FROM ${table} LIMIT 1`)!;
  const [event, invitee, submission] = [one('events'), one('invitees'), one('submissions')];
  // Few other events, because each has a list of invitees to read.
  store.exec('PRAGMA foreign_keys = OFF');
  const few = 'SELECT id FROM events LIMIT 40';
  for (const table of ['invitees', 'event_hosts']) store.run(`DELETE FROM ${table} WHERE event NOT IN (${few})`);
  store.run(`DELETE FROM events WHERE id NOT IN (${few})`);
  store.exec('PRAGMA foreign_keys = ON');
  store.transaction(() => {
    for (let index = 0; index < count; index += 1) {
      const id = `RECHECK${index}`;
      const email = index % 3 === 0 ? address(index).replace('people', 'PEOPLE') : address(index);
      if (index % 5 === 0) {
        const questions_and_answers = [{ question_uuid: 'Q', question: 'You?', answer: email }];
        const doc = { ...JSON.parse(submission.doc), uri: `/routing_form_submissions/${id}`, questions_and_answers };
        store.insert('submissions', id, { ...doc, submitter: null }, { form: submission.form });
        continue;
      }
      const status = index % 10 === 1 ? 'canceled' : 'active';
      const uri = `/scheduled_events/${id}`;
      const start_time = new Date(someday + (index - count / 2) * 60_000).toISOString();
      const { organization, event_type } = event;
      const counter = { total: 1, active: status === 'active' ? 1 : 0, limit: 1 };
      const times = { start_time, end_time: start_time };
      store.insert(
        'events',
        id,
        { ...JSON.parse(event.doc), uri, status, ...times, invitees_counter: counter },
        { organization, event_type },
      );
      const own = { uri: `${uri}/invitees/${id}`, event: uri, email, status };
      store.insert('invitees', id, { ...JSON.parse(invitee.doc), ...own }, { event: id });
    }
  });
  const script = createFaultScript(fault === undefined ? [] : [readFault(fault)]);
  const faulty: Send = withFaults(sandbox.service, { script, log: createLog(), clock });
  const service: Send = async (request) => {
    const reply = await faulty(request);
    return { ...reply, headers: { ...reply.headers, date: new Date(clock.now()).toUTCString() } };
  };
  const world = await createWorld();
  const home = temporaryDirectory('recheck');
  const from = join(home, 'in.txt');
  writeFileSync(from, `# people\n${Array.from({ length: count }, (_, index) => `${address(index)}\n`).join('')}`);
  const run = async (words: string[], more: WorldOptions = {}): Promise<Result> => {
    const result = await world.run(words, { home, clock, send: service, ...more });
    expect(result.stdout + result.stderr).not.toMatch(/@|%40|canary-th/i);
    return result;
  };
  const receipt = join(home, 'first.jsonl');
  const deletion = ['compliance', 'delete', '--from', from, '--confirm', String(count), '--receipt', receipt, '--json'];
  /** The lines of who is still there, as the data has it. */
  const kept = (): number[] => {
    const rows = store.all<{ email: string }>(
      `SELECT email FROM invitees UNION SELECT a.value ->> 'answer' FROM submissions s, json_each(s.doc, '$.questions_and_answers') a`,
    );
    const emails = new Set(rows.map(({ email }) => String(email).toLowerCase()));
    return Array.from({ length: count }, (_, index) => index + 2).filter((line) => emails.has(address(line - 2)));
  };
  return {
    store,
    script,
    clock,
    service,
    home,
    from,
    receipt,
    run,
    kept,
    /** The people's deletion, and the days until it is carried out. */
    remove: async (more: WorldOptions = {}) => {
      const { code, stderr } = await run(deletion, more);
      expect([code, stderr]).toEqual([0, expect.any(String)]);
      await clock.sleep(week + 86_400_000);
      // Each request carries out a few of the deletions that are due.
      for (let round = 0; round < 5 + count / 400; round += 1)
        await service({
          method: 'GET',
          url: `${usualOrigin}/users/me`,
          headers: { authorization: `Bearer ${ownerToken}` },
        });
    },
    recheck: (words: string[] = [], more: WorldOptions = {}) =>
      run(['compliance', 'recheck', receipt, '--from', from, '--json', ...words], more),
  };
};

/** The sandbox as a service that gets other requests than those that were sent. */
export const changing = (service: Send, change: (request: HttpRequest) => HttpRequest = (request) => request) =>
  ({ send: (request: HttpRequest) => service(change(request)) }) satisfies WorldOptions;

interface Line {
  line: number;
  finding: string;
  where?: string[];
  unread?: string[];
}

export const linesOf = ({ stdout }: Result): Line[] => JSON.parse(stdout).lines;

export const linesWith = (result: Result, finding: string): number[] =>
  linesOf(result).flatMap((each) => (each.finding === finding ? [each.line] : []));

export const textOf = (path: string): string => readFileSync(path, 'utf8');
