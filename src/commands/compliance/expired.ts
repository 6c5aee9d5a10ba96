import { dirname, resolve } from 'node:path';
import { foldAddress, isPlaceholder } from '../../api/email-address.ts';
import { events, type SentEvent } from '../../api/events.ts';
import { invitees } from '../../api/invitees.ts';
import { type TimeWindow, windowQuery } from '../../api/window.ts';
import { counted } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';
import type { RecordAnswer } from '../../cli/answer/answer.ts';
import type { Command } from '../../cli/command.ts';
import { type Call, input, taking, type Values } from '../../cli/input/input.ts';
import { age, file } from '../../cli/input/kinds.ts';
import { commandHere } from '../../cli/messages/suggested-line.ts';
import { bothClocks, type Context } from '../../cli/session/context.ts';
import { rowFilter } from '../../client/filter.ts';
import { mapConcurrent } from '../../client/map-concurrent.ts';
import { access, constants } from '../../node/files.ts';
import type { View } from '../../output/view.ts';
import { statIfAny } from '../../state/directories.ts';
import { attempt, diskTrouble, realDisk } from '../../state/disk.ts';
import { utcText } from '../../time/wall.ts';
import { readableEvents } from '../events/readable-events.ts';
import { requestsForInvitees, shortPage } from '../events/with-invitees.ts';

const expiredView: View = {
  columns: [{ header: 'FILE', path: 'file' }],
  page: {
    lines: [
      { label: 'Expired addresses', value: 'expired', as: 'count' },
      { label: 'Addresses with old events', value: 'old_addresses', as: 'count' },
      { label: 'Last event before', value: 'limit', as: 'time' },
      { label: 'Invitees without an address', value: ({ without_address: count }) => count || undefined, as: 'count' },
      { label: 'Events read', value: 'events', as: 'count' },
      { label: 'Requests', value: 'requests', as: 'count' },
      { label: 'Whose events', value: ({ scope }) => (scope === 'user' ? 'only your own' : 'the whole organization') },
      { label: 'File', value: 'file' },
    ],
  },
  id: 'file',
};

const entries = {
  olderThan: age('age of the last event: 90d, 8w, 24mo or 2y', { needed: true }),
  to: file('file to create; an existing file is never replaced', { needed: true }),
};

type ExpiredInput = Values<typeof entries>;

/** Reads which addresses have only old events. Memory grows with the old addresses, not with the events. */
const readExpired = async (context: Context, olderThan: ExpiredInput['olderThan']) => {
  const { runtime, notes } = context;
  const { scope, query } = await readableEvents(context);
  if (scope === 'user')
    notes.warn(
      "Only your own events were read: the token can't read the organization's. People in the file may have newer events with other hosts",
    );
  const client = await context.client();
  // The first request asked whose events may be read.
  const counts = { events: 0, requests: 1, without_address: 0 };
  let requestsLeft = 0;
  const onPage = () => {
    counts.requests += 1;
    requestsLeft = Math.max(0, requestsLeft - 1);
  };
  const eachAddress = async (
    window: TimeWindow,
    isWanted: (event: SentEvent) => boolean,
    see: (address: string, folded: string) => void,
  ): Promise<void> => {
    const windowedQuery = { ...query, ...windowQuery('start_time', window) };
    const options = { pageSize: shortPage, keep: rowFilter(events.list, windowedQuery), onPage };
    for await (const page of client.pages(events.list, { query: windowedQuery }, options))
      await mapConcurrent(page.filter(isWanted), async ({ uri }) => {
        for await (const rows of client.pages(invitees.list, { path: { event: idIn(uri) } }, { onPage }))
          for (const { email } of rows) {
            const foldedAddress = foldAddress(email);
            if (foldedAddress === undefined || isPlaceholder(foldedAddress)) counts.without_address += 1;
            else see(String(email), foldedAddress);
          }
      });
  };

  for await (const page of client.pages(events.list, { query }, { afterSend: runtime.afterSend, onPage })) {
    counts.events += page.length;
    for (const event of page) requestsLeft += Math.max(1, requestsForInvitees(event));
    context.notes.rows(counts.events);
  }
  context.notes.rows(0);
  requestsLeft += Math.ceil(counts.events / shortPage) + 1;
  notes.info(`Reading the invitees of ${counted(counts.events, 'event')}: up to ${counted(requestsLeft, 'request')}`);
  notes.ahead = () => ({ requests: requestsLeft, isMost: true });
  // Of two clocks, the later one would make more addresses old.
  const { earlier } = await bothClocks(context);
  const limit = utcText(olderThan(earlier));
  /** As the service shows them, by their folded form. */
  const old = new Map<string, string>();
  // Old events first: a booking that is made meanwhile is then among the newer ones.
  await eachAddress(
    { until: limit },
    (event) => requestsForInvitees(event) > 0,
    (address, folded) => old.set(folded, address),
  );
  const oldAddresses = old.size;
  await eachAddress(
    { since: limit },
    () => old.size > 0,
    (_, folded) => old.delete(folded),
  );
  notes.ahead = undefined;
  return { addresses: [...old.values()].sort(), counts: { old_addresses: oldAddresses, ...counts, limit, scope } };
};

const runExpired = async ({ olderThan, to }: ExpiredInput, { context }: Call): Promise<RecordAnswer> => {
  const { runtime } = context;
  const path = resolve(to);
  // Reading may take hours, so a file that can't be written is reported first.
  await attempt('write', path, () => access(dirname(path), constants.W_OK));
  if (statIfAny(path) !== undefined) throw diskTrouble('write', path, { code: 'EEXIST' });
  const { addresses, counts } = await readExpired(context, olderThan);
  const text = addresses.map((address) => `${address}\n`).join('');
  await realDisk.create(path, text, Buffer.from(runtime.randomBytes(8)).toString('hex'));
  const next = `Nothing is deleted yet. To delete their data: ${commandHere(context, 'compliance', 'delete', '--from', to)}`;
  return {
    kind: 'record',
    view: expiredView,
    record: { expired: addresses.length, ...counts, file: path },
    footers: addresses.length > 0 ? [next] : [],
  };
};

export const expiredCommand: Command = {
  name: 'expired',
  summary: 'Write the addresses whose last event is older than an age to a file',
  ...taking(input(entries), runExpired),
  fields: 'expired old_addresses events requests without_address limit scope file'.split(' '),
  effect: 'read',
  examples: [
    'compliance expired --older-than 24mo --to expired.txt',
    'compliance expired --older-than 2y --to two-years.txt --json=expired,requests',
  ],
  notes: [
    'An address is expired if all its events start before the age. Upcoming events count, and so do canceled events and canceled invitees: anybody who booked something for a later time is not expired. Case is ignored. Submissions of routing forms do not count.',
    'Deletes nothing. The file has one address per line, for sched compliance delete --from FILE, and only its owner can read it. It is written at the end, or not at all. stdout has counts only.',
    'Reads the events of the whole organization. If the token may not, it reads only your own events and says so (scope is then user). Do not delete by such a list: others may have newer events with the same people.',
    'Takes about one request per event, and says how many before it begins. Memory grows with the number of old addresses, not with the number of events.',
  ],
};
