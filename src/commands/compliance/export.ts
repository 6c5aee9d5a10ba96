import { dirname, join, resolve } from 'node:path';
import { foldAddress } from '../../api/email-address.ts';
import { events, type SentEvent } from '../../api/events.ts';
import type { SentInvitee } from '../../api/invitees.ts';
import { codeOf, SchedError } from '../../base/errors.ts';
import { jsonText } from '../../base/json.ts';
import { idIn } from '../../base/uri.ts';
import { the, words } from '../../base/words.ts';
import type { Plan } from '../../cli/answer/plan.ts';
import type { Command } from '../../cli/command.ts';
import { both, type Call, input, taking, type Values } from '../../cli/input/input.ts';
import { word } from '../../cli/input/kinds.ts';
import type { Context } from '../../cli/session/context.ts';
import { mapConcurrent } from '../../client/map-concurrent.ts';
import { chmod, mkdir, readdir, rm } from '../../node/files.ts';
import { attempt, diskTrouble } from '../../state/disk.ts';
import { type RenameWorld, syncDirectory, writeWholeFile } from '../../state/whole-file.ts';
import { type ItemFile, inputNote } from '../bulk/input.ts';
import { checkInvalid, noteLeftOut } from '../bulk/read-items.ts';
import { askRequester } from '../bulk/requester.ts';
import type { Bulk } from '../bulk/run-answer.ts';
import { bulkPlan } from '../bulk/run-bulk.ts';
import { resultFields } from '../bulk/run-result.ts';
import { type BatchPlan, linesText, type PlannedItem } from '../bulk/work-plan.ts';
import { supportsFilter } from '../events/filter-support.ts';
import { inviteesOf } from '../events/read-invitees.ts';
import { type EventScope, readableEvents } from '../events/readable-events.ts';
import { shortPage } from '../events/with-invitees.ts';
import { type Addresses, addressesOf, addressInput } from './address-list.ts';
import { findKey, receiptKeyFile, secondKeyDanger } from './receipt-key.ts';
import { addressesIn, eachSubmission } from './submissions.ts';

const receiptName = 'receipt.jsonl';

/** People whose routing form submissions are searched for together: each search reads the submissions of all forms. */
const batchSize = 25;

/** What no API of the service shows for an address, whatever the token may read. */
const neverShown = [
  'events of other organizations',
  'data that the service stores under other addresses of the person',
  'canceled bookings and deleted data, as far as the service no longer lists them',
  'the activity log, which has no search by address',
  'sent emails and reminders, and copies in calendars and other connected systems',
];

/** Reads the events of a person. Only events that show the address among their invitees count: a filter may be ignored. */
const readPerson = async (context: Context, email: string, query: EventScope['query']) => {
  const person = { email, events: [] as SentEvent[], invitees: [] as SentInvitee[], submissions: [] as object[] };
  const foldedEmail = foldAddress(email);
  for await (const page of (await context.client()).pages(events.list, { query }, { pageSize: shortPage })) {
    const lists = await mapConcurrent(page, (event) => inviteesOf(context, event, { email }));
    for (const [index, rows] of lists.entries()) {
      const ownRows = rows.filter((row) => foldAddress(row.email) === foldedEmail);
      if (ownRows.length > 0) person.events.push(page[index]!);
      person.invitees.push(...ownRows);
    }
  }
  return person;
};

type Person = Awaited<ReturnType<typeof readPerson>>;

/**
 * Adds the submissions that hold the address of one of these people, or that led to a booking of theirs. Returns what
 * could not be read.
 */
const addSubmissions = async (context: Context, people: readonly Person[]): Promise<string[]> => {
  const owners = new Map<string | undefined, Person>();
  for (const person of people) {
    owners.set(foldAddress(person.email), person);
    for (const { uri } of person.invitees) owners.set(idIn(uri), person);
  }
  const unread = await eachSubmission(context, (submission) => {
    const marks = [...addressesIn(submission), idIn(submission.submitter)];
    for (const owner of new Set(marks.flatMap((mark) => owners.get(mark) ?? []))) owner.submissions.push(submission);
  });
  return unread.map((what) => `submissions of ${what} (the token can't read them)`);
};

const elsewhere = words`name another directory with ${the('to')}`;

/** Creates the directory of a new run. An empty one, or one whose process was killed before it began, will do. */
const prepare = (directory: string): Promise<void> =>
  attempt('write', directory, async () => {
    await mkdir(directory, { mode: 0o700 }).catch(async (error: unknown) => {
      const names = codeOf(error) === 'EEXIST' ? await readdir(directory) : ['?'];
      if (names.every((name) => name.startsWith(receiptName))) return;
      throw diskTrouble('write', directory, error).with({ advice: elsewhere });
    });
    await chmod(directory, 0o700);
    await syncDirectory(dirname(directory));
  });

/** A killed process may have left a draft. The run is locked, so no other process is writing it. */
const write = (replaceIn: RenameWorld, path: string, content: object): Promise<void> =>
  attempt('write', path, async () => {
    const draft = `${path}.draft`;
    await rm(draft, { force: true });
    await writeWholeFile(path, { content: `${jsonText(content, 2)}\n`, draft, replaceIn });
  });

interface AddressFile extends PlannedItem {
  file: string;
}

/** Each address with its file: `3.json`, and `3-2.json` for a second one in the same JSON object. */
const withFiles = ({ items }: BatchPlan): AddressFile[] => {
  const before = new Map<number, number>();
  return items.map(({ text, line }) => {
    const count = (before.get(line) ?? 0) + 1;
    before.set(line, count);
    return { text, line, file: `${line}${count === 1 ? '' : `-${count}`}.json` };
  });
};

const place = { to: word('directory to create, with a file per person', { value: 'DIR', needed: true }) };
const keyPlace = { receiptKeyFile };

type ExportInput = Values<typeof place & typeof keyPlace> & ItemFile & { addresses: Addresses };

/** Its receipt is in the directory, and a finished run is not repeated. */
const flags = addressInput.flags.filter(({ heading }) => heading === undefined);

const exportInput = both(both(input(place), { ...addressInput, flags }), input(keyPlace));

/** What is read of each person, and where it is written. */
const exportJob = async (values: ExportInput, context: Context): Promise<Bulk<AddressFile>> => {
  const { to, receiptKeyFile, addresses } = values;
  const { notes, runtime } = context;
  await context.connection();
  const key = (await findKey(context, receiptKeyFile, true))!;
  const who = await askRequester(context, events.list);
  const { scope, query } = await readableEvents(context);
  const { isSupported } = await supportsFilter(context, 'invitee_email', query);
  if (!isSupported) notes.info("The service can't filter by invitee, so sched reads all events for each address");
  const directory = resolve(to);
  const gaps = new Set(scope === 'user' ? ["events of other hosts (the token can't read them)"] : []);
  const empty: number[] = [];
  const items = withFiles(addresses.plan);
  return {
    ...addressesOf(addresses, key),
    items,
    done: 'exported',
    operation: 'compliance.export',
    ...who,
    // The same people in another directory, or in other lines, are another run.
    input: key.mac([directory, ...items.map(({ text, file }) => `${text},${file}`)].join('\n')),
    elsewhere,
    fix: () => 'Fix the failed ones and export them to another directory.',
    batchSize,
    prepare: async (_, isResumed) => {
      if (!isResumed) await prepare(directory);
    },
    send: async (batch, leaving) => {
      await leaving();
      const people: Person[] = [];
      for (const { text: email } of batch)
        people.push(await readPerson(context, email, isSupported ? { ...query, invitee_email: email } : query));
      for (const gap of await addSubmissions(context, people)) gaps.add(gap);
      for (const [index, { submissions, ...person }] of people.entries()) {
        const { line, file } = batch[index]!;
        if (person.events.length + submissions.length === 0) empty.push(line);
        await write(runtime, join(directory, file), {
          ...person,
          routing_form_submissions: submissions,
          not_included: [...gaps, ...neverShown],
          exported_at: new Date(runtime.clock.now()).toISOString(),
          organization: who.organization,
          sandbox: who.isSandbox,
        });
      }
      return { verdict: 'accepted', status: 200 };
    },
    beside: () => ({
      warnings: [
        ...(empty.length === 0
          ? []
          : [`Nothing found for ${addresses.thing}${empty.length === 1 ? '' : 's'} ${linesText(empty)}`]),
        ...(gaps.size === 0 ? [] : [`Not included: ${[...gaps].join('; ')}`]),
      ],
      hints: [`Never included: ${neverShown.join('; ')}`],
    }),
  };
};

const planExport = async (values: ExportInput, call: Call): Promise<Plan> => {
  const { to, receiptKeyFile, addresses } = values;
  const { context } = call;
  const { plan } = addresses;
  const receipt = join(resolve(to), receiptName);
  return bulkPlan<AddressFile>(
    context,
    { receipt, again: false },
    {
      begin: () => {
        checkInvalid(call, values, plan, 'email address');
        if (plan.items.length === 0) throw new SchedError('usage', 'No addresses in the input');
        noteLeftOut(context, plan);
      },
      danger: async () => {
        await context.connection();
        return secondKeyDanger(context, receiptKeyFile);
      },
      job: () => exportJob(values, context),
    },
  );
};

export const exportCommand: Command = {
  name: 'export',
  summary: 'Write all data that the service shows of people to files',
  ...taking(exportInput, planExport),
  fields: resultFields,
  effect: 'read',
  mirror: 'its receipt says what the service answered',
  examples: [
    'compliance export ada@engine.example --to export-ada',
    'compliance export --from emails.txt --to export-2026-11 --json',
  ],
  notes: [
    'Each file is named by the line of its address in the input (1.json), and has the events of the person, the invitee records with their answers, the submissions of routing forms with the address, and a list of what is not included. Other invitees of the same events are left out. An address that the service does not know gets a file without events.',
    `Never included: ${neverShown.join('; ')}.`,
    'Only the owner can read the directory and its files. receipt.jsonl in it records the run, with addresses as HMACs. To resume an interrupted run, run the same command again. A directory with another export is never changed.',
    inputNote,
    'Never prints an address: messages give the line number in the input.',
  ],
};
