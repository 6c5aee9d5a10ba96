import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Send } from '../../../src/http/message.ts';
import { createWorld, type Result } from '../../support/run.ts';

const world = await createWorld();

const recordsOf = ({ stdout }: Result): Record<string, string>[] => parse(stdout, { columns: true });

const list = 'events list --org current --since -4d --until +4d';

describe('--rows invitees', () => {
  it('prints one row per invitee with the fields of the event', async () => {
    const events = JSON.parse((await world.run(`${list} --with invitees --json`)).stdout);
    const expected = events.flatMap((event: { uri: string; _sched: { invitees: Record<string, string>[] } }) =>
      event._sched.invitees.map(({ email, status }) => [event.uri, email, status]),
    );
    const rows = recordsOf(await world.run(`${list} --rows invitees -o csv`));
    expect(rows.map((row) => [row.uri, row['_sched.invitee.email'], row['_sched.invitee.status']])).toEqual(expected);
    expect(rows.length).toBeGreaterThan(events.length);
    expect(rows.some((row) => row['_sched.invitee.status'] === 'canceled')).toBe(true);
  });

  it('counts rows for --limit', async () => {
    const { stdout } = await world.run(`${list} --rows invitees --limit 7`);
    expect(stdout.trimEnd().split('\n')).toHaveLength(7);
  });

  it('shows a table for people', async () => {
    const { stdout } = await world.run(`${list} --rows invitees --limit 2 -o table`, { columns: 200 });
    expect(stdout).toContain('INVITEE STATUS');
  });

  it('is refused for formats without rows, before anything is sent', async () => {
    for (const format of ['json', 'jsonl', 'yaml', 'id', 'ics']) {
      const { code, stderr, requests } = await world.run(`${list} --rows invitees -o ${format}`);
      expect([format, code, requests]).toEqual([format, 2, []]);
      expect(stderr).toContain('--rows only works with -o csv, tsv or table');
    }
    const wrong = await world.run(`${list} --rows hosts -o csv`);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--rows must be invitees, not "hosts"')]);
  });
});

describe('answers of invitees', () => {
  const questions = ['Company', 'Team size', 'Anything we should prepare?'];
  let event: string;
  beforeAll(async () => {
    const { stdout } = await world.run(
      'events list --org current --event-type "Customer onboarding" --since -7d --limit 1 -o id',
    );
    event = stdout.trim();
  });
  const answersIn = async (): Promise<string[]> => {
    const [invitee] = JSON.parse((await world.run(['invitees', 'list', event, '--json'])).stdout);
    return questions.map(
      (name) => invitee.questions_and_answers.find(({ question }: { question: string }) => question === name).answer,
    );
  };

  it('have a csv column per question, for one event and for many', async () => {
    const answers = await answersIn();
    const [row] = recordsOf(await world.run(['invitees', 'list', event, '-o', 'csv']));
    expect(Object.keys(row!).slice(-3)).toEqual(questions);
    expect(questions.map((name) => row![name])).toEqual(answers);
    expect(row!.questions_and_answers).toContain(`Company: ${answers[0]}; Team size: ${answers[1]}`);
    const many = recordsOf(await world.run('events list --org current --since -7d --until +7d --rows invitees -o csv'));
    const same = many.find(({ uri }) => uri === event)!;
    expect(questions.map((name) => same[name])).toEqual(answers);
    expect(many.every((each) => Object.hasOwn(each, 'Team size'))).toBe(true);
  });

  it('have no columns if the token may not read the event types', async () => {
    const send: Send = (request) =>
      request.url.includes('/event_types')
        ? Promise.resolve({ status: 403, headers: {}, body: '{"message":"no"}' })
        : world.service(request);
    const rows = await world.run('events list --org current --rows invitees --limit 1 -o csv', { send });
    expect([rows.code, rows.stderr]).toEqual([0, expect.stringContaining('No column per question')]);
    const [row] = recordsOf(await world.run(['invitees', 'list', event, '-o', 'csv'], { send }));
    expect(Object.keys(row!).at(-1)).toBe('questions_and_answers');
  });

  it('are on the page, in the table, with the event and in the calendar', async () => {
    const [company, size, wish] = await answersIn();
    const texts = [`Company: ${company}`, `Team size: ${size}`, `Anything we should prepare? ${wish}`];
    const invitee = (await world.run(['invitees', 'list', event, '-o', 'id'])).stdout.trim();
    const page = await world.run(['invitees', 'get', invitee, '-o', 'table']);
    const whole = await world.run(['events', 'get', event, '--with', 'invitees', '-o', 'table']);
    for (const text of texts) expect([page.stdout, whole.stdout].every((shown) => shown.includes(text))).toBe(true);
    const calendar = await world.run(['events', 'get', event, '--with', 'invitees', '-o', 'ics']);
    expect(calendar.stdout.replaceAll('\r\n ', '')).toContain(texts.join('\\n'));
    const table = await world.run(['invitees', 'list', event, '-o', 'table', '--fields', 'name,questions_and_answers']);
    expect(table.stdout).toContain(company);
    const wide = await world.run(['invitees', 'list', event], { terminals: ['stdout'], columns: 250 });
    expect(wide.stdout.split('\n')[1]).toMatch(/Company +Team size +Anything we should prepare\?/);
  });
});

describe('--search', () => {
  it('looks at invitees when they are read', async () => {
    const uris = async (more: string): Promise<string[]> =>
      JSON.parse((await world.run(`events list --search lindenbaum ${more} --json=uri`)).stdout);
    expect(await uris('')).toEqual([]);
    expect((await uris('--with invitees')).length).toBeGreaterThan(0);
    const { stdout } = await world.run('events list --search lindenbaum --with invitees --limit 1 -o id');
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('--local-times', () => {
  it('writes the times of csv and tsv in the zone, with the offset', async () => {
    const exact = await world.run('events list --limit 3');
    const starts = ({ stdout }: Result) =>
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t')[0]!);
    const local = await world.run('events list --limit 3 --local-times --tz Asia/Kathmandu');
    expect(starts(local).every((start) => start.endsWith('+05:45'))).toBe(true);
    expect(starts(local).map((start) => Date.parse(start))).toEqual(starts(exact).map((start) => Date.parse(start)));
    const one = await world.run('events get JW6SHQTS78SH7TS8 --local-times --tz Asia/Kathmandu');
    expect(one.stdout).toMatch(/^start_time\t.*\+05:45$/m);
    expect(one.stdout).toMatch(/^created_at\t.*\+05:45$/m);
  });

  it('follows daylight saving time', async () => {
    const { stdout } = await world.run(
      `events list --org current --local-times --tz Europe/Paris -o csv --fields start_time`,
    );
    expect(stdout).toMatch(/^2026-10-2[0-4]T.*\+02:00/m);
    expect(stdout).toMatch(/^2026-10-2[6-9]T.*\+01:00/m);
  });

  it('is refused for other formats', async () => {
    for (const line of ['events list --local-times --json', 'events list --local-times -o table']) {
      const { code, stderr, requests } = await world.run(line);
      expect([code, requests]).toEqual([2, []]);
      expect(stderr).toContain('--local-times only works with -o csv and -o tsv');
    }
  });
});

describe('routing-forms submissions -o csv', () => {
  it('has a column per question', async () => {
    const [form] = JSON.parse((await world.run('routing-forms list --json')).stdout);
    const questions: string[] = form.questions.map(({ name }: { name: string }) => name);
    const line = ['routing-forms', 'submissions', form.uri];
    const rows = recordsOf(await world.run([...line, '-o', 'csv']));
    expect(Object.keys(rows[0]!).slice(5)).toEqual([...questions, 'form']);
    const submissions = JSON.parse((await world.run([...line, '--json'])).stdout);
    const answers = submissions.map((each: { questions_and_answers: { question: string; answer: string }[] }) =>
      questions.map((name) => each.questions_and_answers.find(({ question }) => question === name)?.answer ?? ''),
    );
    expect(rows.map((row) => questions.map((name) => row[name]!.replace(/^'/, '')))).toEqual(answers);
    expect(rows.length).toBeGreaterThan(3);
  });

  it('has the questions of all forms if none is named, and none with --fields or in tsv', async () => {
    const forms = JSON.parse((await world.run('routing-forms list --json')).stdout);
    const all = new Set(
      forms.flatMap(({ questions }: { questions: { name: string }[] }) => questions.map(({ name }) => name)),
    );
    const rows = recordsOf(await world.run('routing-forms submissions -o csv --limit 2'));
    expect(Object.keys(rows[0]!).slice(5)).toEqual([...all, 'form']);
    expect((await world.run('routing-forms submissions -o csv --fields uri --limit 1')).stdout).toMatch(/^uri\r\n/);
    expect(
      (await world.run('routing-forms submissions --limit 1 --header')).stdout.split('\n')[0]!.split('\t'),
    ).toHaveLength(5);
  });
});
