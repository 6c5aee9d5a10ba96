import { once } from '../base/once.ts';
import { the, words } from '../base/words.ts';
import { colorFlagOf, colorWanted } from '../output/color.ts';
import { fieldList } from '../output/fields.ts';
import type { Format } from '../output/formats.ts';
import type { Runtime } from '../runtime.ts';
import { addressProblem } from '../state/redis/address.ts';
import { resolveZone } from '../time/zone.ts';
import type { Given } from './input/given.ts';
import type { Notes } from './messages/notes.ts';
import type { Problems } from './messages/problems.ts';
import { readTold, type Told } from './parse/shared-flags.ts';
import { type Account, hereOf, type Settings, wantsSandbox } from './session/settings.ts';

/** The output format: as given, else by the kind of stdout. Environment and profile only affect terminals. */
const formatOf = ({ output, json, jq, screenOutput }: Told, isTerminal: boolean): Format => {
  if (output !== undefined) return output;
  if (json !== undefined || jq !== undefined) return 'json';
  return isTerminal ? (screenOutput ?? 'table') : 'tsv';
};

/** The zone in which times are read and shown. TZ and the system's zone are looked at only when a time is. */
const zoneOf = ({ tz, from }: Told, runtime: Runtime, problems: Problems, notes: Notes) => {
  const source = from('tz');
  const zone = once(() => {
    const own = source && { [source === 'variable' ? 'SCHED_TZ' : source]: tz };
    const reading = resolveZone({ ...own, TZ: runtime.env.TZ, system: () => runtime.systemZone });
    if (reading.ok && reading.note !== undefined) notes.warn(reading.note);
    return reading;
  });
  const chosen = source && zone();
  if (chosen && !chosen.ok) {
    if (source === 'flag') problems.value('tz', tz!, words`${the('tz')}: ${chosen.problem}`, chosen.candidates[0]);
    else problems.add(`${source === 'profile' ? "the profile's time zone" : 'SCHED_TZ'}: ${chosen.problem}`);
  }
  return zone;
};

/** What can't be said together. */
const checkTold = (told: Told, given: Given, format: Format, problems: Problems): void => {
  const { output, json, jq, fields, localTimes, timeout, maxAge, mirror, sharedState } = told;
  if (json !== undefined && output !== undefined && output !== 'json')
    problems.add(words`${the('json')} conflicts with ${the('output')} ${output}`);
  if (jq !== undefined && !['json', 'jsonl'].includes(output ?? 'json'))
    problems.add(words`${the('jq')} only works with -o json or -o jsonl, not with -o ${output!}`);
  if (localTimes && !['csv', 'tsv'].includes(format))
    problems.add(words`${the('localTimes')} only works with -o csv and -o tsv, not with ${format}`);
  // A timeout of 0 can't work; a --max-wait of 0 can: it is the same as --no-wait.
  if (timeout === 0) problems.add(words`${the('timeout')} must be more than 0, not "${given.timeout as string}"`);
  if (maxAge !== undefined && !mirror) problems.add(words`${the('maxAge')} only works with ${the('mirror')}`);
  if (fields !== undefined && fieldList(fields).length === 0)
    problems.add(words`${the('fields')} needs at least one field`);
  const isVariable = told.from('sharedState') === 'variable';
  const wrong = isVariable ? addressProblem(sharedState!) : undefined;
  if (wrong !== undefined) problems.add(`SCHED_SHARED_STATE can't be used: ${wrong}`);
};

/** The settings of a command, by what it is told. Its problems are collected. */
export const resolveSettings = async (
  given: Given,
  runtime: Runtime,
  problems: Problems,
  notes: Notes,
  account?: Account,
): Promise<Settings> => {
  const { env, keyboard, stdout, stderr } = runtime;
  const told = await readTold(given, runtime, problems, account?.profile);
  const { jq, header, raw, localTimes, accessible, quiet, verbose, noCheck, curl, profileIs, noInput, mirror } = told;
  const { sharedState, dialect } = told;
  const format = formatOf(told, stdout.isTerminal);
  checkTold(told, given, format, problems);
  const zone = zoneOf(told, runtime, problems, notes);
  const isProtected = account?.profile.protected === true && profileIs !== account.name;
  const fields = [...fieldList(told.fields ?? ''), ...fieldList(told.json ?? '')];
  return {
    ...{ format, header, raw, localTimes, accessible, quiet, verbose, noCheck, curl },
    ...(fields.length > 0 ? { fields } : {}),
    ...(jq === undefined ? {} : { jq }),
    ...(profileIs === undefined ? {} : { profileIs }),
    ...(account === undefined ? {} : { account }),
    ...(sharedState === undefined ? {} : { sharedState }),
    ...(dialect === undefined ? {} : { dialect }),
    get zone() {
      const reading = zone();
      return reading.ok ? reading.zone : 'UTC';
    },
    get zoneSource() {
      return zone().source;
    },
    color: colorWanted({ flag: colorFlagOf(told.color), env, isTerminal: stdout.isTerminal }),
    dryRun: told.dryRun || curl,
    // A protected profile asks in any case.
    yes: told.yes && !isProtected,
    ...(isProtected ? { protectedProfile: account.name } : {}),
    canAsk: !noInput && !env.CI && stderr.isTerminal && keyboard.isTerminal,
    mayPage: !noInput && !accessible,
    sandbox: wantsSandbox(given, runtime),
    ...(mirror ? { mirror: { maxAgeMs: told.maxAge } } : {}),
    here: hereOf(given, runtime, account),
    allowRefresh: !env.CI || told.allowRefresh,
    maxWaitMs: told.noWait ? 0 : told.maxWait,
    timeoutMs: told.timeout,
  };
};
