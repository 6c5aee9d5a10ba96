import step1 from './migrations/1.sql' with { type: 'text' };
import step2 from './migrations/2.sql' with { type: 'text' };
import step3 from './migrations/3.sql' with { type: 'text' };
import step4 from './migrations/4.sql' with { type: 'text' };
import step5 from './migrations/5.sql' with { type: 'text' };
import step6 from './migrations/6.sql' with { type: 'text' };
import step7 from './migrations/7.sql' with { type: 'text' };
import step8 from './migrations/8.sql' with { type: 'text' };
import step9 from './migrations/9.sql' with { type: 'text' };
import step10 from './migrations/10.sql' with { type: 'text' };
import step11 from './migrations/11.sql' with { type: 'text' };
import step12 from './migrations/12.sql' with { type: 'text' };
import step13 from './migrations/13.sql' with { type: 'text' };
import step14 from './migrations/14.sql' with { type: 'text' };

/** Tables whose rows hold a record in `doc`, as the JSON the service replies with. */
export const recordTables = [
  'organizations',
  'users',
  'groups',
  'event_types',
  'schedules',
  'events',
  'invitees',
  'shares',
  'invitations',
  'routing_forms',
  'submissions',
  'activity',
  'webhooks',
] as const;

/** `PRAGMA user_version` is the number of those already applied. */
export const migrations: readonly string[] = [
  step1,
  step2,
  step3,
  step4,
  step5,
  step6,
  step7,
  step8,
  step9,
  step10,
  step11,
  step12,
  step13,
  step14,
];

/** `schd` in ASCII: marks the SQLite file as a sandbox. */
export const applicationId = 0x73636864;
