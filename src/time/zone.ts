import { editDistance } from '../base/nearest.ts';
import { once, onceEach } from '../base/once.ts';

/** Sources of the time zone, in order of precedence. */
export type ZoneSource = '--tz' | 'SCHED_TZ' | 'profile' | 'TZ' | 'system';

type ZoneReading = { ok: true; zone: string } | { ok: false; problem: string; candidates: string[] };

/** Abbreviations are rejected even if ICU accepts them: it reads `EST` as Panama, `IST` as India, `BST` as Bangladesh. */
const abbreviations: Record<string, string[]> = {
  EST: ['America/New_York', 'America/Toronto', 'America/Panama'],
  EDT: ['America/New_York', 'America/Toronto'],
  ET: ['America/New_York', 'America/Toronto'],
  EST5EDT: ['America/New_York', 'America/Toronto'],
  CST: ['America/Chicago', 'America/Mexico_City', 'Asia/Shanghai', 'America/Havana'],
  CDT: ['America/Chicago', 'America/Winnipeg', 'America/Havana'],
  CT: ['America/Chicago', 'America/Winnipeg'],
  CST6CDT: ['America/Chicago', 'America/Winnipeg'],
  MST: ['America/Denver', 'America/Phoenix', 'America/Edmonton'],
  MDT: ['America/Denver', 'America/Edmonton'],
  MT: ['America/Denver', 'America/Edmonton'],
  MST7MDT: ['America/Denver', 'America/Edmonton'],
  PST: ['America/Los_Angeles', 'America/Vancouver', 'Asia/Manila'],
  PDT: ['America/Los_Angeles', 'America/Vancouver'],
  PT: ['America/Los_Angeles', 'America/Vancouver'],
  PST8PDT: ['America/Los_Angeles', 'America/Vancouver'],
  AKST: ['America/Anchorage'],
  AKDT: ['America/Anchorage'],
  HST: ['Pacific/Honolulu'],
  AST: ['America/Halifax', 'America/Puerto_Rico', 'Asia/Riyadh'],
  ADT: ['America/Halifax'],
  NST: ['America/St_Johns'],
  NDT: ['America/St_Johns'],
  BRT: ['America/Sao_Paulo'],
  ART: ['America/Argentina/Buenos_Aires'],
  CLT: ['America/Santiago'],
  COT: ['America/Bogota'],
  WET: ['Europe/Lisbon', 'Atlantic/Canary'],
  WEST: ['Europe/Lisbon', 'Atlantic/Canary'],
  BST: ['Europe/London', 'Asia/Dhaka'],
  IST: ['Asia/Kolkata', 'Europe/Dublin', 'Asia/Jerusalem'],
  CET: ['Europe/Paris', 'Europe/Berlin', 'Africa/Algiers'],
  CEST: ['Europe/Paris', 'Europe/Berlin'],
  MET: ['Europe/Paris', 'Europe/Berlin'],
  EET: ['Europe/Athens', 'Europe/Helsinki', 'Africa/Cairo'],
  EEST: ['Europe/Athens', 'Europe/Helsinki'],
  MSK: ['Europe/Moscow'],
  TRT: ['Europe/Istanbul'],
  WAT: ['Africa/Lagos'],
  CAT: ['Africa/Maputo', 'Africa/Johannesburg'],
  SAST: ['Africa/Johannesburg'],
  EAT: ['Africa/Nairobi'],
  GST: ['Asia/Dubai'],
  PKT: ['Asia/Karachi'],
  ICT: ['Asia/Bangkok', 'Asia/Ho_Chi_Minh'],
  WIB: ['Asia/Jakarta'],
  SGT: ['Asia/Singapore'],
  HKT: ['Asia/Hong_Kong'],
  JST: ['Asia/Tokyo'],
  KST: ['Asia/Seoul'],
  AWST: ['Australia/Perth'],
  ACST: ['Australia/Adelaide', 'Australia/Darwin'],
  ACDT: ['Australia/Adelaide'],
  AEST: ['Australia/Sydney', 'Australia/Brisbane', 'Australia/Melbourne'],
  AEDT: ['Australia/Sydney', 'Australia/Melbourne'],
  AET: ['Australia/Sydney', 'Australia/Brisbane', 'Australia/Melbourne'],
  NZST: ['Pacific/Auckland'],
  NZDT: ['Pacific/Auckland'],
  SST: ['Pacific/Pago_Pago', 'Pacific/Guadalcanal'],
  Z: ['UTC'],
};

/** IANA names without a slash (from the file `backward`). ICU also accepts other names, which are rejected here. */
const plainNames =
  'UTC GMT UCT Universal Zulu Greenwich GMT0 GMT+0 GMT-0 Cuba Egypt Eire GB GB-Eire Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya NZ NZ-CHAT Navajo PRC Poland Portugal ROC ROK Singapore Turkey W-SU'.split(
    ' ',
  );

/** Current names that the platform still lists under their old spelling. */
const currentNames =
  'Africa/Asmara America/Argentina/Buenos_Aires America/Argentina/Catamarca America/Argentina/Cordoba America/Argentina/Jujuy America/Argentina/Mendoza America/Atikokan America/Indiana/Indianapolis America/Kentucky/Louisville America/Nuuk Asia/Ho_Chi_Minh Asia/Kathmandu Asia/Kolkata Asia/Yangon Atlantic/Faroe Europe/Kyiv Pacific/Chuuk Pacific/Kanton Pacific/Pohnpei'.split(
    ' ',
  );

/** Names by their lower-case form. Built on first use, because listing them takes milliseconds. */
const knownNames = once(
  () =>
    new Map(
      [...Intl.supportedValuesOf('timeZone'), ...currentNames, ...plainNames].map((name) => [name.toLowerCase(), name]),
    ),
);

/** The names to offer: those of places, and UTC. */
export const zoneNames = (): string[] =>
  [...knownNames().values()].filter((name) => name.includes('/') || name === 'UTC').sort();

/** Asked once for each name: the platform takes a while, and a file of bookings has the same zone on every line. */
const platformKnows = onceEach((name: string): boolean => {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
});

/** Capitalizes an old alias such as `us/eastern` as the database does. Aliases are not in the platform's list. */
const capitalize = (name: string): string =>
  name !== name.toLowerCase()
    ? name
    : name.replace(/[a-z]+/g, (word) =>
        ['of', 'es', 'au'].includes(word)
          ? word
          : ['us', 'gmt', 'utc', 'uct', 'act', 'nsw', 'lhi'].includes(word)
            ? word.toUpperCase()
            : word[0]!.toUpperCase() + word.slice(1),
      );

function nearestZones(name: string): string[] {
  const place = name
    .toLowerCase()
    .trim()
    .replace(/[\s_]+/g, '_');
  if (place === '' || place.length > 40) return [];
  const scored = [...knownNames()].map(([lower, proper]): [number, string] => {
    const city = place.includes('/') ? lower : lower.slice(lower.lastIndexOf('/') + 1);
    return [editDistance(place, city), proper];
  });
  const limit = place.length < 5 ? 1 : place.length < 9 ? 2 : 3;
  const best = Math.min(...scored.map(([score]) => score));
  return scored
    .filter(([score, proper]) => score <= limit && score <= best + 1 && platformKnows(proper))
    .sort(([one], [other]) => one - other)
    .map(([, proper]) => proper)
    .slice(0, 3);
}

/** The zones an abbreviation can mean, if the platform supports them; `undefined` if it isn't an abbreviation. */
export const abbreviated = (name: string): string[] | undefined =>
  Object.hasOwn(abbreviations, name.toUpperCase())
    ? abbreviations[name.toUpperCase()]!.filter(platformKnows)
    : undefined;

const orList = (names: string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;

/**
 * Reads an IANA name, in any case and including old aliases, and returns its proper spelling. Services have names such as
 * `America/New York`, with the spaces of the city.
 */
export function readZone(given: string): ZoneReading {
  const name = given.includes('/') ? given.replaceAll(' ', '_') : given;
  const refuse = (problem: string, candidates: string[] = []): ZoneReading => ({
    ok: false,
    problem: candidates.length > 0 ? `${problem}. Did you mean ${orList(candidates)}?` : problem,
    candidates,
  });
  const quote = `"${given.slice(0, 60)}"`;
  if (name.trim() === '') return refuse('The time zone is empty. Use a name such as Europe/Paris or UTC');
  // Newer platforms accept offsets as zones.
  if (/^(utc|gmt)?[+-]\d/i.test(name) && !knownNames().has(name.toLowerCase()))
    return refuse(`${quote} is an offset, not a time zone. Use a name such as Europe/Paris or UTC`);
  const candidates = abbreviated(name);
  if (candidates) return refuse(`${quote} is an abbreviation, not a time zone`, candidates);
  if (/^[A-Za-z0-9_+\-/]+$/.test(name) && platformKnows(name)) {
    const proper = knownNames().get(name.toLowerCase());
    if (proper) return { ok: true, zone: proper };
    if (name.includes('/') && !/^systemv\//i.test(name)) return { ok: true, zone: capitalize(name) };
  }
  const near = nearestZones(name);
  return refuse(
    `${quote} is not a time zone${near.length > 0 ? '' : '. Use a name such as Europe/Paris or UTC'}`,
    near,
  );
}

/** The zone of a city, such as Europe/Paris of `paris`. Other text is unchanged. */
export const zoneNamed = (text: string): string => {
  const reading = readZone(text);
  if (reading.ok) return reading.zone;
  const city = text.trim().replaceAll(' ', '_').toLowerCase();
  const zones = [...knownNames().values()].filter((zone) => zone.toLowerCase().endsWith(`/${city}`));
  return zones.length === 1 ? zones[0]! : text;
};

/** The name that the platform has for a zone with several names: Kiev and Kyiv are one zone. */
export const canonicalZone = onceEach((given: string): string | undefined => {
  const read = readZone(given);
  return read.ok ? new Intl.DateTimeFormat('en-US', { timeZone: read.zone }).resolvedOptions().timeZone : undefined;
});

/** The problem with a zone's name, or undefined if it is valid. */
export function zoneProblem(name: string): string | undefined {
  const reading = readZone(name);
  return reading.ok ? undefined : reading.problem;
}

/** The zone name in a POSIX `TZ`, which can start with a colon or be a path. `EST5EDT,M3.2.0,M11.1.0` has no name. */
const posixName = (text: string): string =>
  text
    .replace(/^:/, '')
    .replace(/^.*\/zoneinfo\//, '')
    .replace(/^(posix|right)\//, '');

/** POSIX.1-2017 §8.3: `UTC+3` and `<-03>3` are three hours behind UTC. The database only has names for whole hours. */
const posixFixed = (text: string): string | undefined => {
  const [, sign, hours] = /^(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)([+-]?)(\d\d?)(?::00){0,2}$/.exec(text) ?? [];
  if (hours === undefined) return undefined;
  const zone = Number(hours) === 0 ? 'UTC' : `Etc/GMT${sign || '+'}${Number(hours)}`;
  return platformKnows(zone) ? zone : undefined;
};

interface ZoneSources {
  flag?: string | undefined;
  SCHED_TZ?: string | undefined;
  profile?: string | undefined;
  TZ?: string | undefined;
  /** Called only if no other source is set, because the lookup is slow. */
  system: () => string | undefined;
}

/** `note` is a warning to show with the times. */
type ResolvedZone = ZoneReading & { source: ZoneSource; note?: string };

/**
 * Returns the zone in which times are read and shown. An invalid value set for sched is an error. `TZ` is set for all
 * programs, so an unusable value is skipped with a note. Empty variables count as unset.
 */
export function resolveZone(sources: ZoneSources): ResolvedZone {
  const own: [ZoneSource, string | undefined][] = [
    ['--tz', sources.flag],
    ['SCHED_TZ', sources.SCHED_TZ || undefined],
    ['profile', sources.profile],
  ];
  for (const [source, name] of own) {
    if (name !== undefined) return { ...readZone(name), source };
  }
  const { TZ } = sources;
  const fromVariable = TZ ? readZone(posixName(TZ)) : undefined;
  if (fromVariable?.ok) return { ...fromVariable, source: 'TZ' };
  const fixed = TZ ? posixFixed(TZ) : undefined;
  if (fixed !== undefined) return { ok: true, zone: fixed, source: 'TZ' };
  const system = readZone(sources.system() ?? '');
  // In a container without zone data, the system zone is `Etc/Unknown`.
  const zone = system.ok ? system.zone : 'UTC';
  // The platform reads daylight saving rules as UTC. Only a file path can really mean UTC. And a name such as Mars/Phobos is no
  // rule: a platform that has another zone for it didn't read it.
  const isName = TZ !== undefined && /^:?[a-z_]+(\/[a-z_]+)+$/i.test(TZ);
  const isKnown = !TZ || (system.ok && !isName && (zone !== 'UTC' || /^:?\//.test(TZ)));
  const near = fromVariable?.ok === false ? fromVariable.candidates : [];
  const meant = near.length > 0 ? `. Did you mean ${orList(near)}?` : '';
  const note = `TZ=${TZ?.slice(0, 60)} is not a supported time zone; using ${zone}${meant}`;
  return { ok: true, zone, source: 'system', ...(isKnown ? {} : { note }) };
}
