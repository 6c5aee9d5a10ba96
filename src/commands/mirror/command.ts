import type { Command } from '../../cli/command.ts';
import { taking } from '../../cli/input/input.ts';
import { aboutService } from '../../cli/mirror-answer.ts';
import { deleteInput, exportInput, sqlInput, statusInput, syncInput } from './input.ts';
import { statusFields, statusView } from './view.ts';

export const commands: Command[] = [
  {
    name: 'sync',
    summary: 'Copy the account into a file on this machine, or read what changed',
    ...taking(syncInput, async (...call) => (await import('./sync.ts')).runSync(...call)),
    effect: 'read',
    mirror: aboutService,
    background: (given) => given['full-speed'] !== true,
    examples: ['mirror sync', 'mirror sync --for 30m --yes', 'mirror sync --since 2025-01-01 --full-speed'],
    notes: [
      'Afterwards, `sched --mirror` before any command that reads answers from that file: no network, no rate limit.',
    ],
  },
  {
    name: 'status',
    summary: 'Show what the mirror has, how old it is, and what is missing',
    ...taking(statusInput, async (...call) => (await import('./status.ts')).runStatus(...call)),
    fields: statusFields,
    view: statusView,
    examples: ['mirror status', 'mirror status --all', 'mirror status --json=as_of,events,missing_lists'],
  },
  {
    name: 'delete',
    summary: 'Delete the mirror from this machine',
    ...taking(deleteInput, async (...call) => (await import('./status.ts')).runDelete(...call)),
    examples: ['mirror delete', 'mirror delete --yes'],
  },
  {
    name: 'sql',
    summary: 'Query the mirror with SQL',
    ...taking(sqlInput, async (...call) => (await import('./sql.ts')).runSql(...call)),
    examples: [
      "mirror sql 'SELECT host, count(*) FROM bookings WHERE no_show GROUP BY 1'",
      "mirror sql 'SELECT status, count(*) FROM events GROUP BY status' -o csv",
    ],
    notes: [
      'One SELECT, WITH or VALUES, as SQLite reads it. It can read nothing but the mirror, and changes nothing. Ctrl-C ends it.',
      "Tables: events, invitees, bookings (an invitee with the event), people, event_types and submissions. Times are in UTC. The column doc has the whole record as JSON: doc ->> '$.tracking.utm_source'.",
    ],
  },
  {
    name: 'export',
    summary: 'Write the shape of the account with invented people, for a sandbox',
    ...taking(exportInput, async (...call) => (await import('./export.ts')).runExport(...call)),
    examples: ['mirror export --pseudonymous > world.yaml', 'mirror export --pseudonymous --data ./shape.db'],
    notes: [
      'Times, lengths, states and numbers stay; people, names, addresses, links, texts and IDs are invented or left out. The same address gets the same person everywhere. Before anything is written, the export is searched for real names, addresses and hosts, and refused if one is found.',
      'sched sandbox start takes both: a world file as the content of new data, and the file of --data as its data. A world file has at most 1 MiB, about 1,500 events: for more, use --data.',
      'Invented people are no anonymous people: who knows the calendar can recognize a meeting by its time.',
    ],
  },
];
