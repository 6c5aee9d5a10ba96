import type { SentSchedule } from '../../api/availability.ts';
import type { World } from './work-model.ts';

/** A schedule with its keys in a file. */
interface KnownSchedule {
  schedule: SentSchedule;
  /** The email address of the host. */
  email: string;
  /** `EMAIL/Schedule name` */
  longKey: string;
}

/** The schedules of hosts whose email address is known. */
export const schedulesOf = (schedules: readonly SentSchedule[], emails: World['emails']): KnownSchedule[] =>
  schedules.flatMap((schedule) => {
    const email = emails.get(String(schedule.user));
    return email === undefined ? [] : [{ schedule, email, longKey: `${email}/${schedule.name}` }];
  });

/** The case of an email address doesn't matter. That of a schedule's name does. */
const comparableKey = (key: string): string => {
  const [, email = key, rest = ''] = /^([^@]*@[^/]*)(.*)$/s.exec(key) ?? [];
  return email.toLowerCase() + rest;
};

/** The schedules that a key of the file can mean: `EMAIL`, or `EMAIL/Schedule name`. */
export const schedulesCalled = (key: string, schedules: readonly SentSchedule[], emails: World['emails']) =>
  schedulesOf(schedules, emails)
    .filter(({ email, longKey }) => [email, longKey].some((each) => comparableKey(each) === comparableKey(key)))
    .map(({ schedule }) => schedule);
