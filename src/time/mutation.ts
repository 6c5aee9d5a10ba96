import { the, words } from '../base/words.ts';
import { readTime } from './read.ts';
import { type Reading, readingTexts } from './reading.ts';
import type { ZoneSource } from './zone.ts';

interface MutationTimeContext {
  zone: string;
  zoneSource: ZoneSource;
  /** The time zone of the invitee. */
  inviteeZone?: string | undefined;
  /** Whether the user can see how the time was read before it is sent. */
  isTerminal: boolean;
  now: number;
}

const explicit: readonly ZoneSource[] = ['--tz', 'SCHED_TZ'];

/**
 * Reads a time that will be sent to the service. A time without an offset is accepted only if its zone is certain: the
 * user set the zone for sched, or works at a terminal and the time is the same instant in the invitee's zone.
 */
export function readMutationTime(text: string, context: MutationTimeContext): Reading {
  const { zone, zoneSource, inviteeZone, isTerminal, now } = context;
  const reading = readTime(text, { zone, now });
  if (!reading.ok || !reading.local || explicit.includes(zoneSource)) return reading;
  const theirs = inviteeZone === undefined ? undefined : readTime(text, { zone: inviteeZone, now });
  const differs = theirs !== undefined && !(theirs.ok && theirs.instant === reading.instant);
  if (!differs && isTerminal) return reading;
  const readings = [...new Set([...readingTexts(reading), ...(differs ? readingTexts(theirs) : [])])];
  const why = differs
    ? `is ambiguous: your time zone is ${zone}, but the invitee's is ${inviteeZone}`
    : words`has no offset, and the time zone ${zone} comes from ${zoneSource === 'profile' ? 'the profile' : zoneSource === 'TZ' ? 'TZ' : 'the system'}. Without a terminal, set ${the('tz')} or SCHED_TZ`;
  return {
    ok: false,
    problem: words`"${text.trim()}" ${why}${differs ? '. Use' : ', or use'} ${readings.join(' or ')}`,
    readings,
  };
}
