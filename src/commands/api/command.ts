import type { LeafCommand } from '../../cli/command.ts';
import { taking } from '../../cli/input/input.ts';
import { apiInput } from './input.ts';

export const api: LeafCommand = {
  ...taking(apiInput, async (...call) => (await import('./run.ts')).planApi(...call)),
  effect: 'any',
  freeForm: true,
  examples: [
    'api /users/me',
    "api /scheduled_events -f 'user={user}' -f status=active --paginate --json=uri,name,start_time",
    "api POST /event_types -f 'owner={user}' -f name=Chat -F duration=45",
    'api PATCH /event_types/YBL6DUNR9FS4PNP6 -F active=true -F duration=45',
    "api /event_types -f 'user={user}' -f count=1 -H 'X-Trace: 42' --include",
  ],
  notes: [
    'A request with a body needs METHOD. Unlike gh, sched never guesses a write. Without METHOD, fields become the query of a GET if the path is known to accept them there.',
    'Placeholders: as a whole value, {user} and {organization} become the URI of your user or organization; as a whole path segment, they become its ID. Quote them for the shell.',
    'Nested fields: a[b]=1 is {"a":{"b":1}}, a[]=1 a[]=2 is {"a":[1,2]}, a[][b]=1 a[][b]=2 is {"a":[{"b":1},{"b":2}]}, a[] alone is {"a":[]}.',
    'The reply is printed unchanged, except for indentation. The body of an error reply is printed too, before the error. With an output format (--json, --jq, --fields, -o) only JSON is printed. If the reply is not JSON, a read ends with exit code 9; a write that the service accepted ends with exit code 0 and a note. --json=FIELDS, --fields and -o table, tsv, csv or id show the records in "resource" or "collection". Here -H sets a request header; it doesn\'t print column names.',
    'Asks for confirmation before DELETE, and before any write to a path that contains cancellation, data_compliance, event_type_availability_schedules or no_show. No other write asks. For data_compliance only sizes are printed, never the request or the reply.',
    "POST /invitees books like `sched invitees create`: sched records the booking before sending it, looks it up if the reply is lost, never sends it twice, and refuses it if this machine has already made the same booking. A body that doesn't clearly say what to book is sent only with --allow-duplicate. Other writes are sent once too: any 2xx is success, and exit code 10 means that the outcome is unknown.",
    "Requests go only to the base URL; URIs from the service are rewritten to it. Headers that carry secrets or control the connection can't be set.",
  ],
};
