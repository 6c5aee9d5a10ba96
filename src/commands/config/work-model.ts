import type { SentSchedule } from '../../api/availability.ts';
import type { SentEventType } from '../../api/event-types.ts';
import type { SentWebhook } from '../../api/webhooks.ts';
import type { Rule } from '../../time/availability-rules.ts';
import type { FileProblem } from '../../yaml-file.ts';
import type { ConfigFile, WantedWebhook } from './work-file-schema.ts';

/*
 * Configuration as code: a file names event types, hours and webhooks. `diffConfig` compares it with what the service
 * has. R57: only what the file names is touched.
 */

export type ConfigPath = readonly (string | number)[];

/** A file that was read, and the places in it. */
export interface ReadConfig {
  name: string;
  config: ConfigFile;
  /** The line of a key or value. */
  lineOf(path: ConfigPath): number;
  problem(path: ConfigPath, message: string, isKey?: boolean): FileProblem;
}

/** An event type of the service. */
export interface WorldType {
  record: SentEventType;
  /** Missing where the file doesn't manage its hours. */
  schedules?: SentSchedule[] | undefined;
}

export interface WorldUser {
  /** As in the file: `me` or an email address. */
  key: string;
  uri: string;
  email: string;
  /** The types that this user owns, without deleted ones and one-offs. */
  types: WorldType[];
  /** The owner of each type of others that the service listed. */
  shared: unknown[];
  /** Missing where the file doesn't manage them. */
  webhooks?: SentWebhook[] | undefined;
}

/** What to read of a user. */
export interface UserReach {
  /** `me` or an email address. */
  key: string;
  types: boolean;
  /** Names and URIs of the types whose hours are needed. */
  hours: 'all' | readonly string[];
  webhooks: boolean;
}

/** What to read of the service. */
export interface Reach {
  /** `all` reads everything of each user who owns a type. Their keys are email addresses. */
  users: 'all' | readonly UserReach[];
  /** Whether the webhooks of the organization are needed. */
  organization: boolean;
  /** Names of the groups whose webhooks are needed. */
  groups: 'all' | readonly string[];
}

/** What the service has, as far as a file needs it. Records are as the service shows them. */
export interface World {
  /** The address of the service, as `serviceName` writes it. */
  service: string;
  organization: string;
  /** Without users and groups that the service doesn't have. */
  users: WorldUser[];
  organizationWebhooks?: SentWebhook[] | undefined;
  groups: { name: string; uri: string; webhooks: SentWebhook[] }[];
  /** Email addresses of hosts, by the URI of the user. */
  emails: ReadonlyMap<string, string>;
  /** Today's date in a time zone, by the service's clock. */
  today(zone: string): string;
}

export interface FieldChange {
  before: unknown;
  after: unknown;
}

interface CommonChange {
  /** The place in the file, or of the list that leaves it out. */
  path: ConfigPath;
  line: number;
  /** For people: the name of the type, the URL of the webhook. */
  label: string;
  /** URI of the user, the group or the organization that it belongs to. */
  owner: string;
  /**
   * Managed fields that change, as normalized values. Of a schedule: `timezone`, weekdays (`monday`) and dates
   * (`2026-12-24`) with hours such as `09:00-12:00,13:00-15:00`, `off`, `no hours` or `usual`. Of what is new: also its
   * `location`, and where its `signing_key` comes from.
   */
  fields: Readonly<Record<string, FieldChange>>;
}

export interface TypeChange extends CommonChange {
  kind: 'event type';
  action: 'create' | 'update';
  /** Missing for a creation. */
  uri?: string | undefined;
}

export interface ScheduleChange extends CommonChange {
  kind: 'schedule';
  action: 'update';
  /** Missing if the plan creates the event type: then it is the owner's schedule of that type. */
  uri?: string | undefined;
  /** URI of the event type, missing in the same case. */
  eventType?: string | undefined;
  /** URI of the host. */
  user: string;
  timezone?: string | undefined;
  /** Rules of the whole week. Missing if the week isn't managed. */
  week?: Rule[] | undefined;
  /** Rules by date; undefined removes the rule of that date. */
  dates: ReadonlyMap<string, Rule | undefined>;
}

export interface WebhookChange extends CommonChange {
  kind: 'webhook';
  action: 'create' | 'replace' | 'delete';
  scope: 'user' | 'group' | 'organization';
  uri?: string | undefined;
  entry?: WantedWebhook | undefined;
}

export type Change = TypeChange | ScheduleChange | WebhookChange;

export interface Plan {
  /** The name of the file. */
  file: string;
  service: string;
  organization: string;
  changes: Change[];
  /** Names of types of these users that the file doesn't name. */
  notInFile: string[];
  /** Facts that are no difference: a disabled webhook, types of other owners. */
  notes: string[];
}

export type Diffed = { ok: true; plan: Plan } | { ok: false; problems: FileProblem[] };
