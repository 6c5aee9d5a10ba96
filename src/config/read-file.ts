import { isEmailAddress } from '../api/email-address.ts';
import { dotted, problemOf } from '../api/wording.ts';
import { readWrittenHours } from '../time/written-hours.ts';
import { zoneProblem } from '../time/zone.ts';
import { type FileProblem, readYaml } from '../yaml-file.ts';
import { ConfigSchema, otherFields } from './file-schema.ts';
import type { ConfigFile, ConfigPath, ReadConfig, WantedHours, WantedWebhook } from './model.ts';

/** Hours that a file manages, with their place. */
export const hoursIn = ({ users = {} }: ConfigFile): { path: ConfigPath; hours: WantedHours }[] =>
  Object.entries(users).flatMap(([user, { event_types = {} }]) =>
    Object.entries(event_types).flatMap(([key, { availability, hosts = {} }]) => {
      const path = ['users', user, 'event_types', key];
      return [
        ...(availability ? [{ path: [...path, 'availability'], hours: availability }] : []),
        ...Object.entries(hosts).map(([host, hours]) => ({ path: [...path, 'hosts', host], hours })),
      ];
    }),
  );

/** Lists of webhooks that a file manages, with their place. */
const webhooksIn = ({ users = {}, organization, groups = {} }: ConfigFile) =>
  [
    ...Object.entries(users).map(([key, { webhooks }]) => ({ path: ['users', key, 'webhooks'], webhooks })),
    { path: ['organization', 'webhooks'], webhooks: organization?.webhooks },
    ...Object.entries(groups).map(([key, { webhooks }]) => ({ path: ['groups', key, 'webhooks'], webhooks })),
  ].flatMap(({ path, webhooks }) => (webhooks ? [{ path, webhooks }] : []));

export const keySourcesOf = ({ signing_key, signing_key_env, signing_key_file }: WantedWebhook): string[] =>
  Object.entries({ signing_key, signing_key_env, signing_key_file })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name);

type Refuse = (path: ConfigPath, message: string, isKey?: boolean) => void;

const checkUsers = ({ users = {} }: ConfigFile, refuse: Refuse) => {
  for (const [key, { event_types = {} }] of Object.entries(users)) {
    if (key !== 'me' && !isEmailAddress(key))
      refuse(['users', key], `"${key}" is not a user. Write me or an email address`, true);
    for (const [name, { hosts = {} }] of Object.entries(event_types))
      for (const host of Object.keys(hosts).filter((each) => !each.includes('@')))
        refuse(
          ['users', key, 'event_types', name, 'hosts', host],
          `"${host}" is not a host. Write an email address, or EMAIL/Schedule name`,
          true,
        );
  }
};

const checkHours = (config: ConfigFile, refuse: Refuse) => {
  for (const { path, hours } of hoursIn(config)) {
    readWrittenHours(hours, (place, message) => refuse([...path, ...place], message));
    const problem = hours.timezone === undefined ? undefined : zoneProblem(hours.timezone);
    if (problem !== undefined) refuse([...path, 'timezone'], problem);
  }
};

const checkWebhooks = (config: ConfigFile, refuse: Refuse, lineOf: ReadConfig['lineOf']) => {
  for (const { path, webhooks } of webhooksIn(config))
    for (const [index, webhook] of webhooks.entries()) {
      const first = webhooks.findIndex(({ url }) => url === webhook.url);
      if (first < index)
        refuse([...path, index, 'url'], `already on line ${lineOf([...path, first, 'url'])}. Remove one`);
      const sources = keySourcesOf(webhook);
      if (sources.length > 1) refuse([...path, index], `has ${sources.join(' and ')}: keep one`);
    }
};

/** A key that stands in the file by mistake must not appear in the log of a CI job. */
const withoutKeys = (problem: FileProblem): FileProblem =>
  /signing_key\b/.test(`${problem.message} ${problem.source}`) ? { ...problem, source: '' } : problem;

/** Reads a configuration file. All mistakes are found at once, and with any of them the file isn't used at all. */
export const readConfig = (
  text: string,
  name: string,
): { ok: true; read: ReadConfig } | { ok: false; problems: FileProblem[] } => {
  const content = readYaml(text, name, ConfigSchema, otherFields);
  if (!content.ok) return { ok: false, problems: content.problems.map(withoutKeys) };
  const { value, problem, lineOf } = content;
  const config: ConfigFile = value;
  const problems: FileProblem[] = [];
  const refuse: Refuse = (path, message, isKey) =>
    problems.push(problem(path, isKey ? message : problemOf(dotted(path), message), isKey));
  checkUsers(config, refuse);
  checkHours(config, refuse);
  checkWebhooks(config, refuse, lineOf);
  if (problems.length > 0) return { ok: false, problems: problems.map(withoutKeys) };
  return { ok: true, read: { name, config, lineOf, problem } };
};
