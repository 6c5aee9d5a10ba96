import { describe, expect, it } from 'vitest';
import { planRecord, planRows } from '../../../src/commands/config/plan-record.ts';
import { drawnPlan, type PlanFacts, planEntries } from '../../../src/commands/config/screen.ts';
import type { Change, Plan } from '../../../src/commands/config/work-model.ts';
import { createPaint } from '../../../src/output/paint.ts';
import { width } from '../../../src/output/width.ts';

const ada = 'https://api.example.com/users/ADA';
const intro = ['users', 'me', 'event_types', 'intro-call'];

const changes: Change[] = [
  {
    kind: 'event type',
    action: 'update',
    path: intro,
    line: 6,
    label: 'Intro call',
    owner: ada,
    uri: 'https://api.example.com/event_types/INTRO',
    fields: { duration: { before: 15, after: 20 }, description_plain: { before: '', after: 'A short call' } },
  },
  {
    kind: 'schedule',
    action: 'update',
    path: [...intro, 'availability'],
    line: 12,
    label: 'Intro call',
    owner: ada,
    uri: 'https://api.example.com/event_type_availability_schedules/S',
    eventType: 'https://api.example.com/event_types/INTRO',
    user: ada,
    dates: new Map(),
    fields: {
      timezone: { before: 'Europe/Paris', after: 'Europe/Berlin' },
      monday: { before: '09:00-12:00', after: '09:00-13:00' },
      tuesday: { before: '09:00-12:00', after: '09:00-13:00' },
      friday: { before: '09:00-12:00,13:00-15:00', after: 'no hours' },
      '2026-12-24': { before: 'usual', after: 'off' },
      '2026-12-25': { before: 'usual', after: 'off' },
      '2027-01-02': { before: 'off', after: 'usual' },
    },
  },
  {
    kind: 'event type',
    action: 'create',
    path: ['users', 'ben@example.com', 'event_types', 'review'],
    line: 22,
    label: 'Design review',
    owner: 'https://api.example.com/users/BEN',
    fields: {
      name: { before: null, after: 'Design review' },
      duration: { before: null, after: 45 },
      active: { before: null, after: true },
      location: { before: null, after: { kind: 'zoom_conference' } },
    },
  },
  {
    kind: 'webhook',
    action: 'delete',
    scope: 'organization',
    path: ['organization', 'webhooks'],
    line: 31,
    label: 'https://old.example.com/hook',
    owner: 'https://api.example.com/organizations/ORG',
    uri: 'https://api.example.com/webhook_subscriptions/OLD',
    fields: { events: { before: ['invitee.created'], after: null } },
  },
  {
    kind: 'webhook',
    action: 'replace',
    scope: 'group',
    path: ['groups', 'Sales', 'webhooks', 0],
    line: 34,
    label: 'https://crm.example.com/hook',
    owner: 'https://api.example.com/groups/SALES',
    fields: {
      events: { before: ['invitee.canceled'], after: ['invitee.created'] },
      signing_key: { before: 'the current one', after: 'from CRM_KEY' },
    },
  },
];

const planOf = (some: Change[]): Plan => ({
  file: 'team.yaml',
  service: 'https://api.example.com',
  organization: 'https://api.example.com/organizations/ORG',
  changes: some,
  notInFile: ['Workshop', 'Demo'],
  notes: ['webhook https://crm.example.com/hook is disabled'],
});

const factsOf = (plan: Plan): PlanFacts => ({
  plan,
  entries: planEntries(plan, '2026-11-17'),
  place: ['Northlight Advisory', 'work', 'api.example.com'],
  digest: '7f3a9c01b2d4',
  apply: 'sched config apply team.yaml --confirm 7f3a9c01b2d4',
});

const style = (available: number) => ({
  paint: createPaint(undefined),
  available,
});

const drawn = (plan: Plan, available = 80): string => drawnPlan(factsOf(plan), style(available), false);

describe('a plan on a screen', () => {
  it('shows an event type and its hours as one entry, and what a creation sets', () => {
    expect(drawn(planOf(changes))).toBe(`team.yaml → Northlight Advisory · work · api.example.com
~ Intro call                                           line 6
    Duration        15 min → 20 min
    Description     none → A short call
    Time zone       Europe/Paris → Europe/Berlin
    Mon–Tue         09:00–12:00 → 09:00–13:00
    Friday          09:00–12:00, 13:00–15:00 → no hours
    24–25 Dec       usual hours → off
    Sat 2 Jan 2027  off → usual hours
+ Design review · ben@example.com                      line 22
    Duration  45 min
    Active    yes
    Location  {"kind":"zoom_conference"}
    Note      it can't be deleted later. To rename an event type instead, add
              renamed_from
- webhook https://old.example.com/hook · organization  line 31
~ webhook https://crm.example.com/hook · group Sales   line 34
    Events       invitee.canceled → invitee.created
    Signing key  the current one → from CRM_KEY
    Note         it is deleted and created again, and misses deliveries in
                 between
! webhook https://crm.example.com/hook is disabled
4 changes: 1 update, 1 creation, 1 replacement, 1 deletion · 2 types not in the
file · digest 7f3a9c01b2d4
Apply: sched config apply team.yaml --confirm 7f3a9c01b2d4
`);
  });

  it('says that nothing differs', () => {
    expect(drawn(planOf([]))).toBe(`team.yaml → Northlight Advisory · work · api.example.com
! webhook https://crm.example.com/hook is disabled
No differences · 2 types not in the file
`);
  });

  it('fits a narrow screen, except for addresses and the command to copy', () => {
    const wide = drawn(planOf(changes), 40)
      .split('\n')
      .filter((line) => width(line) > 40 && !/https?:|^Apply: /.test(line));
    expect(wide).toEqual([]);
  });

  it('makes text of the service visible instead of obeying it', () => {
    const [first] = changes as [Change];
    const text = drawn(planOf([{ ...first, label: 'a\x1b[31m\n::error::b' } as Change]));
    expect(text).not.toMatch(/\x1b|^\s*::/m);
    expect(text).toContain('a\\x1b[31m');
  });

  it('has a form for screen readers', () => {
    const lines = drawnPlan(factsOf(planOf(changes)), style(40), true).split('\n');
    expect(lines.slice(0, 4)).toEqual([
      'team.yaml → Northlight Advisory · work · api.example.com',
      'Update: Intro call, line 6',
      'Duration: 15 min to 20 min',
      'Description: none to A short call',
    ]);
  });
});

describe('a plan for programs', () => {
  it('has each change with its key, its fields and its result', () => {
    const plan = planOf(changes);
    const { changes: records, ...rest } = planRecord(plan, 'digest', ({ action }) =>
      action === 'create' ? { outcome: 'failed', cause: 'HTTP 403' } : undefined,
    );
    expect(rest).toEqual({ file: 'team.yaml', digest: 'digest', not_in_file: plan.notInFile, notes: plan.notes });
    expect(records.map(({ action, kind, key }) => [action, kind, key])).toEqual([
      ['update', 'event type', 'intro-call'],
      ['update', 'schedule', 'intro-call'],
      ['create', 'event type', 'review'],
      ['delete', 'webhook', 'https://old.example.com/hook'],
      ['replace', 'webhook', 'https://crm.example.com/hook'],
    ]);
    expect(records[2]).toMatchObject({ uri: null, line: 22, outcome: 'failed', cause: 'HTTP 403' });
    expect(records[0]!.fields).toEqual(changes[0]!.fields);
  });

  it('has a row for each field, and one for a deletion', () => {
    const rows = planRows(planOf(changes), () => undefined);
    expect(rows).toHaveLength(2 + 7 + 4 + 1 + 2);
    expect(rows[0]).toMatchObject({ action: 'update', name: 'Intro call', field: 'duration', before: 15, after: 20 });
  });
});
