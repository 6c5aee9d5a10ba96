import type { Caller } from '../handler.ts';
import { dayMilliseconds, makeId, timestamp } from '../store/names.ts';
import type { EventTypeRecord, LocationRecord } from '../store/records.ts';

export const team = [
  { key: 'amara', name: 'Amara Lindqvist', role: 'owner', timezone: 'Europe/Berlin', locale: 'en' },
  { key: 'jonas', name: 'Jonas Weber', role: 'admin', timezone: 'Europe/Berlin', locale: 'de' },
  { key: 'priya', name: 'Priya Raman', role: 'admin', timezone: 'Asia/Kolkata', locale: 'en' },
  { key: 'tomas', name: 'Tomás Ferreira', role: 'user', timezone: 'Europe/Lisbon', locale: 'pt' },
  { key: 'mei', name: 'Mei Tanaka', role: 'user', timezone: 'Asia/Tokyo', locale: 'ja' },
  { key: 'kofi', name: 'Kofi Mensah', role: 'user', timezone: 'Africa/Accra', locale: 'en' },
  { key: 'elif', name: 'Elif Demir', role: 'user', timezone: 'Europe/Istanbul', locale: 'tr' },
  { key: 'lucia', name: 'Lucía Romero', role: 'user', timezone: 'America/New_York', locale: 'es' },
  { key: 'sam', name: 'Sam Whitaker', role: 'user', timezone: 'Europe/London', locale: 'en' },
] as const satisfies ReadonlyArray<{
  key: string;
  name: string;
  role: Caller['role'];
  timezone: string;
  locale: string;
}>;

export type Member = (typeof team)[number]['key'];

export const organizationId = makeId('seed/organization');
export const userId = (key: Member) => makeId(`seed/user/${key}`);
export const groupId = (name: string) => makeId(`seed/group/${name}`);
export const eventTypeId = (slug: string) => makeId(`seed/event-type/${slug}`);

/** The time some days before now, as it is stored. */
export const daysBefore = (now: number, days: number): string => timestamp(now - days * dayMilliseconds);

export const groups: ReadonlyArray<{ name: string; members: Member[] }> = [
  { name: 'Customer team', members: ['tomas', 'kofi', 'lucia', 'sam'] },
  { name: 'Product team', members: ['priya', 'mei', 'elif'] },
];

type EventTypeQuestion = EventTypeRecord['custom_questions'][number];

export interface SeedEventType {
  name: string;
  /** The first host is the owner. */
  hosts: Member[];
  duration: number;
  places: LocationRecord[];
  /** Invitees per event; with more than one it is a group event. */
  limit?: number;
  pooling?: 'round_robin' | 'collective';
  secret?: true;
  inactive?: true;
  questions?: Array<Pick<EventTypeQuestion, 'name' | 'type'> & Partial<EventTypeQuestion>>;
  price?: { amount: number; currency: string };
  description?: string;
}

export const seedEventTypes: readonly SeedEventType[] = [
  {
    name: 'Intro call',
    hosts: ['amara'],
    duration: 15,
    places: [{ kind: 'google_conference' }],
    description: 'A 15-minute call to get to know each other.',
  },
  {
    name: 'Consultation',
    hosts: ['amara'],
    duration: 30,
    places: [{ kind: 'zoom_conference' }, { kind: 'outbound_call' }],
    questions: [{ name: 'What would you like to talk about?', type: 'text' }],
  },
  {
    name: 'Strategy session',
    hosts: ['amara'],
    duration: 60,
    places: [{ kind: 'physical', location: 'Northlight, Lindenallee 12, 10115 Berlin' }],
  },
  {
    name: 'Open workshop',
    hosts: ['amara'],
    duration: 60,
    limit: 8,
    places: [{ kind: 'webex_conference' }],
    description: 'Up to eight people, one topic, questions welcome.',
  },
  {
    name: 'Board preview',
    hosts: ['amara'],
    duration: 30,
    secret: true,
    places: [{ kind: 'custom', location: 'Harbour walk, meeting at pier 3' }],
  },
  {
    name: 'Summer office hours',
    hosts: ['amara'],
    duration: 30,
    inactive: true,
    places: [{ kind: 'inbound_call', location: '+49 30 5550100' }],
  },
  {
    name: 'Contract review',
    hosts: ['amara'],
    duration: 60,
    price: { amount: 180, currency: 'EUR' },
    places: [{ kind: 'microsoft_teams_conference' }],
  },
  {
    name: 'Customer onboarding',
    hosts: ['amara'],
    duration: 60,
    places: [{ kind: 'zoom_conference' }],
    questions: [
      { name: 'Company', type: 'string', required: true },
      {
        name: 'Team size',
        type: 'single_select',
        required: true,
        answer_choices: ['1 to 10', '11 to 100', 'more than 100'],
      },
      { name: 'Anything we should prepare?', type: 'text' },
    ],
  },
  {
    name: 'Support call',
    hosts: ['tomas', 'kofi', 'sam', 'amara'],
    duration: 30,
    pooling: 'round_robin',
    places: [{ kind: 'gotomeeting_conference' }],
  },
  {
    name: 'Partner interview',
    hosts: ['amara', 'jonas', 'elif'],
    duration: 60,
    pooling: 'collective',
    places: [{ kind: 'google_conference' }],
  },
  { name: 'Candidate chat', hosts: ['jonas'], duration: 30, places: [{ kind: 'ask_invitee' }] },
  { name: 'Product demo', hosts: ['priya'], duration: 30, places: [{ kind: 'zoom_conference' }] },
  { name: 'Account check-in', hosts: ['tomas'], duration: 30, places: [{ kind: 'microsoft_teams_conference' }] },
  { name: 'Technical review', hosts: ['mei'], duration: 60, places: [{ kind: 'google_conference' }] },
  { name: 'Open office hours', hosts: ['kofi'], duration: 30, limit: 4, places: [{ kind: 'zoom_conference' }] },
  { name: 'Research interview', hosts: ['elif'], duration: 45, places: [{ kind: 'zoom_conference' }] },
  { name: 'Sales call', hosts: ['lucia'], duration: 30, places: [{ kind: 'outbound_call' }] },
  { name: 'Renewal talk', hosts: ['sam'], duration: 15, places: [{ kind: 'google_conference' }] },
];
