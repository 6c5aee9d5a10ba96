import { isEmailAddress } from '../../api/email-address.ts';
import { dotted, problemOf } from '../../api/wording.ts';
import { readWrittenHours } from '../../time/written-hours.ts';
import { zoneProblem } from '../../time/zone.ts';
import { type FileProblem, readYaml } from '../../yaml-file.ts';
import type { ConfigFile, WantedHours, WantedType, WantedWebhook } from './work-file-schema.ts';
import { ConfigSchema, otherFields } from './work-file-schema.ts';
import type { ConfigPath, ReadConfig } from './work-model.ts';
import { findRepeats } from './work-normalize.ts';

/** Reports what is wrong at a place of the file. `isKey`: its key is wrong, and the message names it. */
export type Refuse = (path: ConfigPath, message: string, isKey?: boolean) => void;

/** Where the key of a new webhook comes from. */
export const keySourcesOf = (webhook: WantedWebhook): string[] =>
  (['signing_key', 'signing_key_env', 'signing_key_file'] as const).filter((name) => webhook[name] !== undefined);

const checkHours = (path: ConfigPath, hours: WantedHours, refuse: Refuse) => {
  readWrittenHours(hours, (place, message) => refuse([...path, ...place], message));
  const problem = hours.timezone === undefined ? undefined : zoneProblem(hours.timezone);
  if (problem !== undefined) refuse([...path, 'timezone'], problem);
};

const checkType = (path: ConfigPath, { availability, hosts = {} }: WantedType, refuse: Refuse) => {
  if (availability) checkHours([...path, 'availability'], availability, refuse);
  for (const [host, hours] of Object.entries(hosts)) {
    const place = [...path, 'hosts', host];
    if (!host.includes('@'))
      refuse(place, `"${host}" is not a host. Write an email address, or EMAIL/Schedule name`, true);
    checkHours(place, hours, refuse);
  }
};

const checkWebhooks = (
  path: ConfigPath,
  webhooks: readonly WantedWebhook[],
  refuse: Refuse,
  lineOf: ReadConfig['lineOf'],
) => {
  const entries = webhooks.map((webhook, index) => ({ ...webhook, place: [...path, 'webhooks', index] }));
  for (const [{ place }, first] of findRepeats(entries, ({ url }) => url))
    refuse([...place, 'url'], `already on line ${lineOf([...first.place, 'url'])}. Remove one`);
  for (const { place, ...webhook } of entries) {
    const sources = keySourcesOf(webhook);
    if (sources.length > 1) refuse(place, `has ${sources.join(' and ')}: keep one`);
  }
};

/** A key that stands in the file by mistake must not appear in the log of a CI job. */
const withoutKeys = (problem: FileProblem): FileProblem =>
  /key|secret|token/i.test(`${problem.message} ${problem.source}`) ? { ...problem, source: '' } : problem;

/** Reads a configuration file. All mistakes are found at once, and with any of them the file isn't used at all. */
export const readConfig = (
  text: string,
  name: string,
): { ok: true; file: ReadConfig } | { ok: false; problems: FileProblem[] } => {
  const content = readYaml(text, name, ConfigSchema, otherFields);
  if (!content.ok) return { ok: false, problems: content.problems.map(withoutKeys) };
  const { value, problem, lineOf } = content;
  const config: ConfigFile = value;
  const problems: FileProblem[] = [];
  const refuse: Refuse = (path, message, isKey) =>
    problems.push(withoutKeys(problem(path, isKey ? message : problemOf(dotted(path), message), isKey)));
  const { users = {}, organization = {}, groups = {} } = config;
  for (const [key, { event_types = {}, webhooks = [] }] of Object.entries(users)) {
    const path = ['users', key];
    if (key !== 'me' && !isEmailAddress(key))
      refuse(path, `"${key}" is not a user. Write me or an email address`, true);
    for (const [name, entry] of Object.entries(event_types)) checkType([...path, 'event_types', name], entry, refuse);
    checkWebhooks(path, webhooks, refuse, lineOf);
  }
  checkWebhooks(['organization'], organization.webhooks ?? [], refuse, lineOf);
  for (const [key, { webhooks = [] }] of Object.entries(groups))
    checkWebhooks(['groups', key], webhooks, refuse, lineOf);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, file: { name, config, lineOf, problem } };
};
