import { readTime } from './read.ts';
import { type Reading, readingTexts } from './reading.ts';
import { readZone, type ZoneSource } from './zone.ts';

export interface MutationTimeContext {
  zone: string;
  zoneSource: ZoneSource;
  /** The invitee's `--timezone`. */
  inviteeZone?: string | undefined;
  /** Somebody is there to see what the time was taken for before it is sent. */
  isTerminal: boolean;
  now: number;
}

const typed: readonly ZoneSource[] = ['--tz', 'SCHED_TZ'];

/**
 * A time that will be sent. One without an offset is taken only if it is plain whose clock is meant: the zone was given
 * for this program or somebody is watching, and the invitee's clock does not make it another instant. Two zones that agree
 * on the instant leave nothing to confuse, so they are not a difference.
 */
export function readMutationTime(text: string, circumstances: MutationTimeContext): Reading {
  const { zone, zoneSource, isTerminal, now } = circumstances;
  const invitee = circumstances.inviteeZone === undefined ? undefined : readZone(circumstances.inviteeZone);
  if (invitee && !invitee.ok) return { ok: false, problem: `--timezone: ${invitee.problem}` };
  const reading = readTime(text, { zone, now });
  if (!reading.ok || !reading.local) return reading;
  const theirs = invitee && readTime(text, { zone: invitee.zone, now });
  const differs = theirs !== undefined && !(theirs.ok && theirs.instant === reading.instant);
  const unwatched = !isTerminal && !typed.includes(zoneSource);
  if (!differs && !unwatched) return reading;
  const readings = [...new Set([...readingTexts(reading), ...(differs ? readingTexts(theirs) : [])])];
  const why = differs
    ? `would be read in ${zone}, but the invitee's zone is ${invitee!.zone}`
    : `has no offset, and ${zone} comes from ${zoneSource === 'profile' ? 'the profile' : zoneSource === 'TZ' ? 'TZ' : 'the system'}; without a terminal give --tz or SCHED_TZ`;
  return { ok: false, problem: `"${text.trim()}" ${why}; write ${readings.join(' or ')}`, readings };
}
