import { hash } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import { activity } from '../../api/activity.ts';
import { foldAddress } from '../../api/email-address.ts';
import { windowQuery } from '../../api/window.ts';
import { SchedError } from '../../base/errors.ts';
import { isObject, jsonText } from '../../base/json.ts';
import { counted } from '../../base/numbers.ts';
import type { RecordAnswer } from '../../cli/answer/answer.ts';
import type { Command } from '../../cli/command.ts';
import { type Call, input, taking, type Values } from '../../cli/input/input.ts';
import { file, word } from '../../cli/input/kinds.ts';
import { hideAddresses, replaceAddresses } from '../../cli/messages/hide-addresses.ts';
import type { Context } from '../../cli/session/context.ts';
import { rowFilter } from '../../client/filter.ts';
import { gather } from '../../client/paginate.ts';
import { mkdir } from '../../node/files.ts';
import { attempt } from '../../state/disk.ts';
import { type RenameWorld, syncDirectory, writeWholeFile } from '../../state/whole-file.ts';
import type { RunHistory } from '../bulk/work-receipt.ts';
import type { ReceiptKey } from '../bulk/work-receipt-key.ts';
import type { ReceiptFinding } from '../bulk/work-verify-receipt.ts';
import checkScript from './audit/check.sh' with { type: 'text' };
import proveScript from './audit/prove.sh' with { type: 'text' };
import { deletionUnconfirmed, notProven } from './evidence.ts';
import { findKey, receiptKeyFile } from './receipt-key.ts';
import { isSameService, loadDeletion, loadFirst, offerRuns } from './receipts.ts';

/** The service may write its log entry a little after its reply. */
const afterMs = 10 * 60_000;

/** A `Date` has whole seconds, and is some time on its way. */
const blurMs = 2_000;

/** Replaces every address in a value from the service by its HMAC from the receipt, in field names too. */
const withMarks = (value: unknown, key: ReceiptKey | undefined): unknown => {
  if (typeof value === 'string')
    return replaceAddresses(value, (address) => {
      // A full stop that ends a sentence is not part of the domain.
      const foldedAddress = foldAddress(address.replace(/\.+$/, ''));
      return key === undefined || foldedAddress === undefined ? '[address]' : `hmac:${key.mac(foldedAddress)}`;
    });
  if (Array.isArray(value)) return value.map((each) => withMarks(each, key));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [withMarks(name, key) as string, withMarks(each, key)]),
  );
};

/** The entries of the log during the run. Its receipt has this machine's times, and the service's clock may show others. */
const readEntries = async (context: Context, { run, lastAt }: RunHistory): Promise<object[]> => {
  const client = await context.client();
  const { organization } = run;
  // The clock may have been set back before the run was resumed.
  const times = [run.at, lastAt].map((text) => Date.parse(text));
  const readAt = (aheadMs: number) => {
    const [since, until] = [Math.min(...times) - blurMs, Math.max(...times) + afterMs].map((time) => time + aheadMs);
    const window = { since: new Date(since!).toISOString(), until: new Date(until!).toISOString() };
    const query = { organization, ...windowQuery('occurred_at', window) };
    return gather(client.pages(activity.list, { query }, { keep: rowFilter(activity.list, query) }));
  };
  const entries = await readAt(0);
  // By now a reply has told the service's time.
  const aheadMs = context.now() - context.runtime.clock.now();
  if (Math.abs(aheadMs) <= blurMs) return entries;
  const known = new Set(entries.map(({ uri }) => uri));
  return [...entries, ...(await readAt(aheadMs)).filter(({ uri }) => !known.has(uri))];
};

/** The service's activity log during the run, or the reason why it is missing. */
const readActivity = async (
  context: Context,
  history: RunHistory,
  key: ReceiptKey | undefined,
): Promise<{ lines: string[] } | { missing: string }> => {
  const { organization } = history.run;
  if (organization === 'unknown') return { missing: 'the receipt names no organization' };
  try {
    if (!(await isSameService(context, history)))
      return { missing: 'the run was sent to a different service than the current one' };
    const entries = await readEntries(context, history);
    return { lines: entries.map((entry) => jsonText(withMarks(entry, key))) };
  } catch (error) {
    if (!(error instanceof SchedError) || ['interrupted', 'terminated'].includes(error.category)) throw error;
    return { missing: hideAddresses(`${error.message}${error.facts.reason ? ` (${error.facts.reason})` : ''}`) };
  }
};

const table = (rows: [string, unknown][]): string =>
  ['| | |', '| --- | --- |', ...rows.map(([name, value]) => `| ${name} | ${value} |`)].join('\n');

const lookLimits = `- That the service has no copy that its API doesn't show to this token.
- That nobody came back afterwards.`;

const bundleSummary = ({ history, head, finding, sandbox }: ReceiptFinding, activityWords: string): string => {
  const { run, counts, endedAt } = history!;
  const { after } = run;
  const [accepted, rejected, unknown] =
    after === undefined
      ? ['accepted by the service', 'rejected by the service', 'outcome unknown']
      : ['gone', 'still there', 'unknown'];
  return `# ${after === undefined ? 'Deletion of invitee data' : 'Recheck of a deletion'}, run ${run.run}
${sandbox ? '\n**Made in the sandbox: not proof of a real deletion.**\n' : ''}
${table([
  ['started', run.at],
  ['ended', endedAt ?? 'not yet'],
  ['organization', run.organization],
  ['requested by', run.owner],
  ['endpoint', run.endpoint],
  ['made with', run.tool],
  ['distinct addresses', counts.total],
  [accepted, counts.accepted],
  [rejected, counts.rejected],
  [unknown, counts.unknown],
  ...(after === undefined
    ? []
    : ([
        ['run that was looked at', after.run],
        ['its head hash', after.head],
      ] as [string, string][])),
  ['duplicates in the input', run.duplicates],
  ['invalid lines skipped', counts.skipped],
  ['receipt key', run.key],
  ['head hash', head],
  ['receipt status', finding],
])}

## What this proves

- receipt.jsonl records each request, the time it was sent and the service's reply. Every line carries the hash of the
  line above it, so a changed, removed or moved line is detected.
- Anyone who can write the file can write a whole new chain. Compare the head hash above with the copy that you stored
  elsewhere when the run ended, for example in the job's log or in a ticket.
- The receipt holds an HMAC-SHA-256 of each address in lower case, not the address. Searching for an address requires
  the key.
- ${activityWords}

## What it does not prove

${after === undefined ? `- That data was deleted: the service only accepted the requests.\n  ${deletionUnconfirmed}.` : lookLimits}
- That the list of addresses was complete.

## Check it without sched

This needs bash, awk, sha256sum, openssl and jq:

\`\`\`sh
sha256sum -c SHA256SUMS
bash check.sh ${sandbox ? '--sandbox ' : ''}receipt.jsonl HEAD_HASH_STORED_ELSEWHERE
bash prove.sh ${sandbox ? '--sandbox ' : ''}KEY_FILE receipt.jsonl   # then type the address
\`\`\`
`;
};

const writeAll = (replaceIn: RenameWorld, folder: string, files: Record<string, string | Buffer>): Promise<void> =>
  attempt('write', folder, async () => {
    await mkdir(folder, { mode: 0o700 });
    await syncDirectory(dirname(folder));
    // Replacing needs no hard links, which removable media may lack. The folder is new, so it overwrites nothing.
    const write = (name: string, content: string | Buffer) =>
      writeWholeFile(join(folder, name), { content, draft: join(folder, `${name}.draft`), replaceIn });
    const sums: string[] = [];
    for (const [name, content] of Object.entries(files)) {
      await write(name, content);
      sums.push(`${hash('sha256', content)}  ${name}`);
    }
    await write('SHA256SUMS', `${sums.join('\n')}\n`);
  });

const entries = {
  run: file('run ID or receipt file', { place: 'argument', needed: true, offer: offerRuns }),
  to: word('folder to create (default bundle-RUN)', { value: 'FOLDER' }),
  receiptKeyFile,
};

const bundle = async (
  { run, to, receiptKeyFile }: Values<typeof entries>,
  { context }: Call,
): Promise<RecordAnswer> => {
  const { path, bytes, finding, history } = await loadDeletion(context, run, true);
  const first = await loadFirst(context, history.run);
  const key = await findKey(context, receiptKeyFile, false).catch(() => undefined);
  const runKey = key?.id === history.run.key ? key : undefined;
  const log = await readActivity(context, history, runKey);
  const words =
    'lines' in log
      ? `activity.jsonl is the service's activity log during the run: ${counted(log.lines.length, 'entry', 'entries')}, with addresses replaced by ${runKey === undefined ? '[address]' : 'their HMACs'}.`
      : `The service's activity log during the run is missing: ${log.missing}.`;
  const folder = resolve(to ?? `bundle-${history.run.run}`);
  await writeAll(context.runtime, folder, {
    'receipt.jsonl': bytes,
    ...(first?.bytes && { 'first.jsonl': first.bytes }),
    'SUMMARY.md': bundleSummary(finding, words),
    ...('lines' in log
      ? { 'activity.jsonl': log.lines.map((line) => `${line}\n`).join('') }
      : { 'activity-missing.txt': `${log.missing}\n` }),
    'check.sh': checkScript,
    'prove.sh': proveScript,
  });
  const { status, head } = finding;
  const activityEntries = 'lines' in log ? log.lines.length : null;
  return {
    kind: 'record',
    view: { columns: [{ header: 'FOLDER', path: 'folder' }], id: 'folder' },
    record: { folder, run: history.run.run, status, head, activity_entries: activityEntries, receipt: path },
    done: { warnings: 'missing' in log ? [`The activity log is not included: ${log.missing}`] : [] },
  };
};

export const bundleCommand: Command = {
  name: 'bundle',
  summary: 'Create a folder with the evidence of a run for an auditor',
  ...taking(input(entries), bundle),
  fields: 'folder run status head activity_entries receipt'.split(' '),
  examples: ['compliance bundle 20261115T180000Z-a1b2c3', 'compliance bundle receipt.jsonl --to audit-2026-11'],
  notes: [
    'For the receipt of a recheck, the folder also has the receipt of the deletion as first.jsonl, if it is on this machine.',
    'The folder holds the receipt, a readable summary, the activity log during the run (or the reason why it is missing), and scripts that check the receipt with sha256sum, openssl and jq. It holds no addresses and no key.',
    notProven,
  ],
};
