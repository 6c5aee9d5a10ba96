import { events } from '../api/events.ts';
import { invitees } from '../api/invitees.ts';
import { idIn } from '../base/uri.ts';
import type { Stage } from '../cli/answer/answer.ts';
import { type Decorations, withScreen } from '../cli/operation/generic-command.ts';
import { withFacts } from '../cli/operation/write-result.ts';
import type { Context } from '../cli/session/context.ts';
import { hasRoom } from '../cli/session/network.ts';
import { readIfPossible } from '../client/change.ts';
import { mapConcurrent } from '../client/map-concurrent.ts';
import { valueAt } from '../output/fields.ts';
import { timeLabel } from '../time/label.ts';

export const examples = {
  list: ['activity list --limit 20', 'activity list --since -7d --namespace EventType --json'],
};

/** Records that entries of a screen may be about. More cost too many requests. */
const mostRecords = 50;

const uriAt = (entry: object, path: string): string | undefined => {
  const uri = valueAt(entry, path);
  return typeof uri === 'string' && uri !== '' ? uri : undefined;
};

/** Adds what a screen says about an entry: when the event is, and whom it is about. The log has URIs only. */
const addSubjects =
  (context: Context): Stage =>
  async (page) => {
    const eventUris = new Set(page.flatMap((entry) => uriAt(entry, 'details.event') ?? []));
    const inviteeUris = new Set(page.flatMap((entry) => uriAt(entry, 'details.invitee') ?? []));
    const requests = eventUris.size + inviteeUris.size;
    if (requests === 0 || requests > mostRecords || !(await hasRoom(context, requests))) return page;
    const client = await context.client();
    const readAll = async <Fields>(uris: Iterable<string>, read: (uri: string) => Promise<Fields>) =>
      new Map(await mapConcurrent([...uris], async (uri) => [uri, await readIfPossible(() => read(uri))] as const));
    const eventsRead = await readAll(eventUris, (uri) => client.call(events.get, { path: { event: idIn(uri) } }));
    const people = await readAll(inviteeUris, (uri) =>
      client.call(invitees.get, { path: { event: idIn(uri.split('/invitees/')[0]), invitee: idIn(uri) } }),
    );
    context.runtime.interrupted.throwIfAborted();
    const { zone } = context.settings;
    return page.map((entry) => {
      const event = eventsRead.get(uriAt(entry, 'details.event') ?? '');
      const label = event && timeLabel(event.start_time, zone, context.now());
      const isNamed = uriAt(entry, 'details.name') !== undefined;
      const when = label && (isNamed ? label : `${event.name}, ${label}`);
      const person = people.get(uriAt(entry, 'details.invitee') ?? '')?.name;
      return withFacts(entry, { when: when ?? null, person: person ?? null });
    });
  };

export const decorate = { list: (generic) => withScreen(generic, addSubjects) } satisfies Decorations;
