/** A task that a person can choose in the client. */
interface Prompt {
  name: string;
  title: string;
  description: string;
  arguments: { name: string; description: string; required?: boolean }[];
  /** Tools that the task needs. */
  tools: readonly string[];
  text(values: Readonly<Record<string, string>>): string;
}

const outOf = (value: string | undefined, fallback: string): string => value?.trim() || fallback;

export const prompts: readonly Prompt[] = [
  {
    name: 'plan_my_week',
    title: 'Plan my week',
    description: 'Go through the meetings of a week: conflicts, preparation, free time',
    arguments: [{ name: 'week', description: 'a day of the week, such as 2026-12-01 or next monday (default: today)' }],
    tools: ['events_agenda', 'events_get'],
    text: ({ week }) =>
      [
        `Plan my week (${outOf(week, 'this week')}).`,
        'Get my meetings with events_agenda, and the people of a meeting with events_get and with="invitees".',
        'Show one line per meeting: day, local time, name, people. Leave out canceled ones.',
        'Then name overlapping meetings, days with more than five hours of meetings, and the longest free time of each day.',
        'Change nothing.',
      ].join('\n'),
  },
  {
    name: 'find_a_slot',
    title: 'Find a slot for somebody',
    description: 'Suggest three free times for a meeting with a person',
    arguments: [
      { name: 'who', description: 'the person, such as a name and an email address', required: true },
      { name: 'event_type', description: 'name of the event type' },
      { name: 'when', description: 'such as next week, mornings only' },
      { name: 'timezone', description: "the person's time zone, such as America/New_York" },
    ],
    tools: ['event_types_list', 'event_types_slots'],
    text: ({ who, event_type: type, when, timezone }) =>
      [
        `Find a slot for ${outOf(who, 'somebody')}.`,
        `Event type: ${outOf(type, 'look it up with event_types_list, and ask me if several fit')}. When: ${outOf(when, 'the next seven days')}.`,
        'Get the free times with event_types_slots. Suggest three on different days.',
        `Show each in my time zone and in ${outOf(timezone, 'theirs; ask me which one that is')}.`,
        'Book nothing before I choose one.',
      ].join('\n'),
  },
  {
    name: 'who_did_not_show_up',
    title: 'Who did not show up?',
    description: 'List no-shows and draft a friendly message to each',
    arguments: [{ name: 'since', description: 'such as -7d, last month or 2026-11-01 (default: -7d)' }],
    tools: ['events_list', 'events_stats'],
    text: ({ since }) =>
      [
        `Who did not show up since ${outOf(since, '-7d')}?`,
        'Count them with events_stats and no_shows=true. Find them with events_list, past=true and with="invitees":',
        'an invitee with a no_show did not come. Read all pages.',
        'Show meeting, local time, name and email address. Then draft a short, friendly message to each, with a new booking link of the event type.',
        'Send and change nothing.',
      ].join('\n'),
  },
];
