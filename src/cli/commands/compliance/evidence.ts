import { resolve } from 'node:path';
import { SchedError } from '../../../errors.ts';
import { foldAddress } from '../../../jobs/address.ts';
import { realDisk } from '../../../jobs/disk.ts';
import { keyBytes, keyText, readKey } from '../../../jobs/receipt-key.ts';
import { verify } from '../../../jobs/verify-receipt.ts';
import type { View } from '../../../output/view.ts';
import type { Argument, Command, Invocation } from '../../command.ts';
import { noteHidden } from '../../operation/listing.ts';
import { findKey, keyFileFlag } from './receipt-key.ts';
import { deletionRuns, findingError, loadDeletion, loadReceipt, runRecord } from './receipts.ts';

const receiptArgument: Argument = {
  name: 'receipt',
  description: 'file of the receipt, or its run',
  required: true,
  names: 'files',
};

const headFlag = {
  name: 'head',
  value: 'HASH',
  description: 'head hash that the run printed at its end, as sha256:…',
  heading: 'Flags',
} as const;

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

const runFields = [
  'run started_at ended_at status total accepted rejected unknown skipped organization owner endpoint tool',
  'sandbox finding receipt head',
].flatMap((line) => line.split(' '));

const showRuns = async ({ context, args, problems }: Invocation): Promise<void> => {
  problems.check();
  const [word] = args;
  if (word === undefined) {
    const { rows, hiddenColumns } = await context.printer.list(runsView, deletionRuns(context));
    if (rows === 0) context.notes.footer('no run yet');
    noteHidden(context.notes, hiddenColumns);
    return;
  }
  const { path, bytes } = await loadReceipt(context, word);
  await context.printer.one(runsView, runRecord(path, verify(bytes)));
};

const needReceipt = ({ args, problems }: Invocation): string => {
  if (args[0] === undefined) problems.add('<receipt> is missing');
  return args[0] ?? '';
};

const verifyReceipt = async (invocation: Invocation): Promise<void> => {
  const { context, typed, problems } = invocation;
  const word = needReceipt(invocation);
  const head = typed.head === undefined ? undefined : String(typed.head).trim().toLowerCase();
  if (head !== undefined && !/^sha256:[0-9a-f]{64}$/.test(head)) problems.add('--head is sha256: and 64 digits');
  problems.check();
  const { path, bytes } = await loadReceipt(context, word);
  const finding = verify(bytes, head);
  const { status, finding: words, line, ...facts } = finding;
  const { run, ended_at, total, accepted, rejected, unknown, skipped, sandbox } = runRecord(path, finding);
  const counts = { total, accepted, rejected, unknown, skipped };
  await context.printer.one(
    { columns: [{ header: 'STATUS', path: 'status' }], id: 'status' },
    { status, finding: words, line: line ?? null, run, ended_at, ...counts, sandbox, head: facts.head, receipt: path },
  );
  const error = findingError(finding);
  if (error !== undefined) throw error;
};

const readAddress = async ({ context, typed, problems }: Invocation): Promise<string> => {
  if (typed.email === undefined) problems.add('--email is required');
  const typedOne = typed.email === '-' ? await context.runtime.stdin.line() : typed.email;
  const address = foldAddress(String(typedOne ?? '').trim());
  if (typed.email !== undefined && address === undefined) problems.add('--email is not an e-mail address');
  return address ?? '';
};

const prove = async (invocation: Invocation): Promise<void> => {
  const { context, problems } = invocation;
  const word = needReceipt(invocation);
  const address = await readAddress(invocation);
  problems.check();
  const { path, finding, history } = await loadDeletion(context, word);
  const key = await findKey(invocation, false);
  if (key === undefined || key.id !== history.run.key)
    throw new SchedError('environment', 'The key of this receipt is not at hand', {
      reason: `it was made under the key ${history.run.key}${key === undefined ? '' : `, and this is ${key.id}`}`,
      hint: 'name its file with --receipt-key-file',
      outcome: 'not-sent',
    });
  const mark = key.mac(address);
  const fate = history.outcomes.get(mark);
  await context.printer.one(
    { columns: [{ header: 'FOUND', path: 'found' }], id: 'mark' },
    {
      found: fate !== undefined,
      verdict: fate?.verdict ?? null,
      at: fate?.at ?? null,
      http_status: fate?.status ?? null,
      batch: fate?.batch ?? null,
      mark,
      run: history.run.run,
      receipt_status: finding.status,
      sandbox: finding.sandbox,
      receipt: path,
    },
  );
  if (finding.sandbox)
    throw findingError({ ...finding, status: 'sandbox', finding: 'made in the sandbox: it proves nothing' })!;
  if (fate !== undefined) return;
  throw new SchedError('not-found', 'The address has no verdict in this receipt', {
    outcome: 'not-sent',
    answered: true,
  });
};

/** A new key in a file of its owner's alone; one that is there is never replaced. */
const makeKey = async ({ context, args, problems }: Invocation): Promise<void> => {
  const { runtime, notes, printer } = context;
  if (args[0] === undefined) problems.add('<file> is missing');
  problems.check();
  const path = resolve(args[0]!);
  const text = keyText(runtime.randomBytes(keyBytes));
  await realDisk.create(path, text, Buffer.from(runtime.randomBytes(8)).toString('hex'));
  notes.info('keep it where the receipts are not: without it nobody can tell which address a line stands for');
  await printer.one(
    { columns: [{ header: 'FILE', path: 'file' }], id: 'file' },
    { file: path, key: readKey(text)!.id },
  );
};

const notProven =
  'Proven: what was sent, when, and what the service answered, as long as the head hash was kept elsewhere. Not proven: that data was deleted, which the service does within days and does not report; and that the input was complete.';

export const evidenceCommands: Command[] = [
  {
    name: 'runs',
    summary: 'List deletion runs, or show one',
    arguments: [{ name: 'run', description: 'a run, or the file of its receipt', names: 'files' }],
    flags: [],
    fields: runFields,
    local: true,
    examples: [
      'compliance runs',
      'compliance runs 20261115T180000Z-a1b2c3',
      'compliance runs --json=run,status,accepted',
    ],
    notes: [
      'Lists the receipts in the state directory and those that were written from here with --receipt FILE. One that is no longer where it was written has the status missing; wherever it is now, its file can be named in place of the run.',
    ],
    run: showRuns,
  },
  {
    name: 'verify',
    summary: 'Check that a receipt is whole and unchanged',
    arguments: [receiptArgument],
    flags: [headFlag],
    fields: ['status', 'finding', 'line', ...runFields],
    local: true,
    examples: ['compliance verify receipt.jsonl', 'compliance verify receipt.jsonl --head sha256:HASH'],
    notes: [
      'ok is exit 0; edited, or another head than the given one, exit 13; incomplete, exit 11; made in the sandbox, exit 13. Whoever can write the file can write a whole new chain: only --head, kept elsewhere, shows that.',
      notProven,
    ],
    run: verifyReceipt,
  },
  {
    name: 'prove',
    summary: 'Say whether an address was in a run, when, and with what answer',
    arguments: [receiptArgument],
    flags: [
      { name: 'email', value: 'EMAIL', description: 'the address, or - to read it from stdin', heading: 'Flags' },
      keyFileFlag,
    ],
    fields: 'found verdict at http_status batch mark run receipt_status sandbox receipt'.split(' '),
    examples: ['compliance prove receipt.jsonl --email ada@engine.example', 'compliance prove receipt.jsonl --email -'],
    notes: [
      'The address is never printed. Not found is exit 6; in a receipt made in the sandbox, found or not, exit 13.',
      notProven,
    ],
    run: prove,
  },
  {
    name: 'key',
    summary: 'Make a key for receipts',
    arguments: [
      { name: 'file', description: 'where it is written; a file that is there is left alone', required: true },
    ],
    flags: [],
    fields: ['file', 'key'],
    local: true,
    examples: ['compliance key receipt.key', 'compliance key receipts-2027.key --quiet'],
    notes: [
      'The key is 64 hexadecimal digits in a file for its owner alone. With it an address can be looked for in a receipt; whoever has both can also test guesses, so keep them apart.',
    ],
    run: makeKey,
  },
];
