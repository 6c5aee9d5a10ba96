import { resolve } from 'node:path';
import { foldAddress } from '../../api/email-address.ts';
import { SchedError } from '../../base/errors.ts';
import { self, the, words } from '../../base/words.ts';
import type { Answer, RecordAnswer } from '../../cli/answer/answer.ts';
import type { Command } from '../../cli/command.ts';
import { entry } from '../../cli/input/entry.ts';
import { type Call, input, taking, type Values } from '../../cli/input/input.ts';
import { accept, type Kind, refuse } from '../../cli/input/kind.ts';
import { file } from '../../cli/input/kinds.ts';
import { commandHere } from '../../cli/messages/suggested-line.ts';
import type { View } from '../../output/view.ts';
import { realDisk } from '../../state/disk.ts';
import { newKeyText } from '../../state/key-file.ts';
import type { RunLine } from '../bulk/work-receipt.ts';
import { readKey } from '../bulk/work-receipt-key.ts';
import { madeInSandbox } from '../bulk/work-verify-receipt.ts';
import { exportLine, findKey, receiptKeyFile, rememberKeyFile } from './receipt-key.ts';
import {
  checkReceipt,
  deletionRuns,
  findingError,
  keyOfRun,
  loadDeletion,
  loadFirst,
  loadReceipt,
  offerRuns,
  runFields,
  runRecord,
} from './receipts.ts';

const receiptArgument = { place: 'argument', needed: true } as const;

const runEntry = { run: file('run ID or receipt file', { place: 'argument' }) };

const runsView: View = {
  columns: [
    { header: 'RUN', path: 'run', shrink: false, priority: 9 },
    { header: 'STARTED', path: 'started_at', as: 'time', priority: 7 },
    { header: 'STATUS', path: 'status', as: 'status', priority: 8 },
    { header: 'TOTAL', path: 'total', as: 'count', priority: 5 },
    { header: 'ACCEPTED', path: 'accepted', as: 'count', priority: 6 },
    { header: 'REJECTED', path: 'rejected', as: 'count', priority: 4 },
    { header: 'UNKNOWN', path: 'unknown', as: 'count', priority: 3 },
    { header: 'RECEIPT', path: 'receipt', priority: 1 },
    { header: 'HEAD', path: 'head', priority: 0 },
  ],
  id: 'run',
};

const showRuns = async ({ run }: Values<typeof runEntry>, { context }: Call): Promise<Answer> => {
  if (run === undefined) {
    if (context.settings.sandbox) context.notes.place('sandbox');
    const below = async (rows: number) => (rows === 0 ? ['No runs yet'] : []);
    return { kind: 'rows', view: runsView, pages: deletionRuns(context), below };
  }
  const { path, bytes } = await loadReceipt(context, run);
  return { kind: 'record', view: runsView, record: runRecord(path, checkReceipt(context, bytes)) };
};

const headKind: Kind<string> = {
  value: 'HASH',
  json: 'string',
  read: (raw) => {
    const head = raw.trim().toLowerCase();
    if (/^sha256:[0-9a-f]{64}$/.test(head)) return accept(head);
    return refuse(words`${self} must be sha256: followed by 64 hexadecimal digits`);
  },
};

const verifyEntries = {
  receipt: file('receipt file or run ID', { ...receiptArgument, offer: offerRuns }),
  head: entry(headKind, words`head hash of the run, from ${the('json')} or -v (sha256:…)`),
};

/** Whether the receipt of the deletion is the one that a recheck has looked at. */
const firstProblem = (after: RunLine['after'], first: string | undefined): SchedError | undefined =>
  first === 'different'
    ? new SchedError('integrity', 'The receipt of the deletion is not the one that was looked at', {
        reason: `run ${after!.run} has no line with the hash ${after!.head}`,
      })
    : undefined;

const verifyReceipt = async (
  { receipt, head }: Values<typeof verifyEntries>,
  { context }: Call,
): Promise<RecordAnswer> => {
  const { path, bytes } = await loadReceipt(context, receipt);
  const finding = checkReceipt(context, bytes, head);
  const { status, finding: findingText, line, ...facts } = finding;
  const { run, ended_at, total, accepted, rejected, unknown, skipped, sandbox } = runRecord(path, finding);
  const counts = { total, accepted, rejected, unknown, skipped };
  const { after } = finding.history?.run ?? {};
  const first = finding.history && (await loadFirst(context, finding.history.run));
  return {
    kind: 'record',
    view: { columns: [{ header: 'STATUS', path: 'status' }], id: 'status' },
    record: {
      status,
      finding: findingText,
      line: line ?? null,
      run,
      ended_at,
      ...counts,
      sandbox,
      head: facts.head,
      receipt: path,
      ...(after && { after, first: first?.first }),
    },
    failure: findingError(finding) ?? firstProblem(after, first?.first),
  };
};

/** An address, or `-` for stdin. R49: its problem doesn't quote it. */
const addressKind: Kind<string> = {
  value: 'EMAIL',
  json: 'string',
  read: (raw) => {
    const address = raw === '-' ? raw : foldAddress(raw.trim());
    return address === undefined ? refuse(words`${self} must be an email address`) : accept(address);
  },
};

const proven = {
  receipt: file('receipt file or run ID', receiptArgument),
  email: entry(addressKind, 'email address, or - to read it from stdin', { needed: true }),
  receiptKeyFile,
};

const readAddressArgument = async (email: string, { context, problems }: Call): Promise<string> => {
  const address = email === '-' ? foldAddress(((await context.runtime.stdin.line()) ?? '').trim()) : email;
  if (address === undefined) problems.report({ words: words`${the('email')} must be an email address` });
  problems.check();
  return address!;
};

const notFound = (): SchedError =>
  new SchedError('not-found', 'This receipt has no result for this address', { answered: true });

const prove = async ({ receipt, email, receiptKeyFile }: Values<typeof proven>, call: Call): Promise<RecordAnswer> => {
  const { context } = call;
  const address = await readAddressArgument(email, call);
  const { path, finding, history } = await loadDeletion(context, receipt, true);
  const key = await keyOfRun(context, receiptKeyFile, history);
  const mark = key.mac(address);
  const fate = history.outcomes.get(mark);
  const rehearsal =
    finding.sandbox && !context.settings.sandbox
      ? findingError({ ...finding, status: 'sandbox', finding: madeInSandbox })
      : undefined;
  return {
    kind: 'record',
    view: { columns: [{ header: 'FOUND', path: 'found' }], id: 'mark' },
    record: {
      found: fate !== undefined,
      verdict: fate?.verdict ?? null,
      ...(history.run.after && { finding: fate?.by ?? null }),
      at: fate?.at ?? null,
      http_status: fate?.status ?? null,
      batch: fate?.batch ?? null,
      mark,
      run: history.run.run,
      receipt_status: finding.status,
      sandbox: finding.sandbox,
      receipt: path,
    },
    failure: rehearsal ?? (fate === undefined ? notFound() : undefined),
  };
};

const keyView: View = { columns: [{ header: 'FILE', path: 'file' }], id: 'file' };

/** Shows where the key is that a deletion would use. */
const showKey = async (
  { receiptKeyFile }: { receiptKeyFile: string | undefined },
  { context }: Call,
): Promise<RecordAnswer> => {
  const key = await findKey(context, receiptKeyFile, false);
  if (key === undefined)
    throw new SchedError('not-found', 'There is no receipt key yet', {
      reason: 'the first deletion creates one',
      advice: ['to create one in a file now, run ', { command: ['compliance', 'key', 'FILE'] }],
    });
  return { kind: 'record', view: keyView, record: { file: key.file ?? null, key: key.id, place: key.place } };
};

const fileEntry = input({
  file: file('file to create; an existing file is never replaced', { place: 'argument', needed: true }),
});

const newKey: typeof fileEntry = {
  ...fileEntry,
  draft: async (invocation, how) => {
    if (how.given.file !== undefined) return fileEntry.draft(invocation, how);
    const where = commandHere(invocation.context, 'compliance', 'key-file');
    const file = { name: 'file', place: 'argument' } as const;
    invocation.problems.missingArgument('file', words`Missing argument ${file}. To see where the key is, run ${where}`);
    return async () => ({ file: '' });
  },
};

/** Writes a new key to a file that only its owner can read. Never replaces an existing file. */
const makeKey = async ({ file }: { file: string }, { context }: Call): Promise<RecordAnswer> => {
  const { runtime } = context;
  const path = resolve(file);
  const text = newKeyText(runtime.randomBytes);
  await realDisk.create(path, text, Buffer.from(runtime.randomBytes(8)).toString('hex'));
  await rememberKeyFile(context, path);
  return {
    kind: 'record',
    view: keyView,
    record: { file: path, key: readKey(text)!.id },
    done: {
      hints: [
        'Store this key apart from the receipts. You need it to look up an address in them',
        `To use it: ${exportLine(context, path)}`,
      ],
    },
  };
};

/** compliance.delay and compliance.reply, for people who read a receipt. */
export const deletionUnconfirmed =
  "The service's documentation doesn't say when it deletes the data or how to confirm that; expect a few days";

/** For the help of every command that deals with evidence. */
export const notProven = `Proven, if you stored the head hash elsewhere: the requests sent, their times and the replies. Not proven: that data was deleted, and that the input was complete. ${deletionUnconfirmed}.`;

export const evidenceCommands: Command[] = [
  {
    name: 'runs',
    summary: 'List deletion runs, or show one',
    ...taking(input(runEntry), showRuns),
    fields: runFields,
    local: true,
    examples: [
      'compliance runs',
      'compliance runs 20261115T180000Z-a1b2c3',
      'compliance runs --json=run,status,accepted',
    ],
    notes: [
      'Lists the receipts in the state directory and those written on this machine with --receipt FILE. A receipt that was moved or deleted has the status "missing". If it was moved, pass its file instead of the run ID.',
    ],
  },
  {
    name: 'verify',
    summary: 'Check that a receipt is complete and unchanged',
    ...taking(input(verifyEntries), verifyReceipt),
    fields: ['status', 'finding', 'line', ...runFields, 'after', 'first'],
    local: true,
    examples: ['compliance verify receipt.jsonl', 'compliance verify receipt.jsonl --head sha256:HASH'],
    notes: [
      'For the receipt of a recheck, first says whether the receipt of the deletion that it names is on this machine (ok or missing), and after has its run and head.',
      'Exit codes: 0 if ok; 11 if incomplete; 13 if edited, made in the sandbox, or if the head hash differs from --head. With --sandbox, a receipt made in the sandbox is judged like a real one, for a rehearsal. Anyone who can write the file can write a whole new chain: only a head hash stored elsewhere (--head) reveals that.',
      notProven,
    ],
  },
  {
    name: 'prove',
    summary: 'Show when an address was sent and how the service replied',
    ...taking(input(proven), prove),
    fields: 'found verdict finding at http_status batch mark run receipt_status sandbox receipt'.split(' '),
    examples: ['compliance prove receipt.jsonl --email ada@engine.example', 'compliance prove receipt.jsonl --email -'],
    notes: [
      'Never prints the address. Exit codes: 6 if the address is not found; 13 if the receipt was made in the sandbox, found or not. With --sandbox, such a receipt is searched like a real one, for a rehearsal.',
      notProven,
    ],
  },
  {
    name: 'key',
    summary: 'Create a key for receipts',
    ...taking(newKey, makeKey),
    fields: ['file', 'key'],
    local: true,
    examples: ['compliance key receipt.key', 'compliance key receipts-2027.key --quiet'],
    notes: [
      'The key is 64 hexadecimal digits, in a file that only its owner can read. With the key you can look up an address in a receipt. Anyone who has both can also test guesses, so store them apart.',
    ],
  },
  {
    name: 'key-file',
    summary: 'Show where the receipt key is',
    ...taking(input({ receiptKeyFile }), showKey),
    fields: ['file', 'key', 'place'],
    examples: ['compliance key-file', 'compliance key-file --json=file'],
    notes: [
      'Shows the key that deletions use: a file, or the keychain (then there is no file). Prints only the ID of the key, never the key.',
    ],
  },
];
