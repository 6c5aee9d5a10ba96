import type { HttpRequest } from '../../http/message.ts';
import type { RandomBytes } from '../../system.ts';
import type { Store } from '../store/store.ts';

/** A request for a page, a form of a page, or a file that pages use. */
export interface PageRequest {
  store: Store;
  now: number;
  /** The time of the computer's clock. */
  systemNow: number;
  url: URL;
  request: HttpRequest;
  /** The origin of links in webhook deliveries. */
  origin: string;
  randomBytes: RandomBytes;
}

/** What pages are for, by the first part of their path. None of these is a path of the API. */
const purposes: Record<string, string> = {
  assets: 'file',
  avatars: 'file',
  book: 'book',
  bookings: 'book',
  cancellations: 'cancel',
  d: 'book',
  embed: 'demo',
  'embed.js': 'file',
  reschedulings: 'reschedule',
};

/** Pages as operations, for faults and the log. */
export const pageOperations: readonly string[] = [...new Set(Object.values(purposes))].map((name) => `pages.${name}`);

/** The operation of a page or of a file that pages use, such as `pages.book`. */
export const pageOperation = (path: string): string | undefined => {
  const first = path.split('/', 2)[1] ?? '';
  return Object.hasOwn(purposes, first) ? `pages.${purposes[first]}` : undefined;
};

/** What links and forms carry from page to page: that the page is embedded, in what origin, and the visitor's time zone. */
const carried = ['embed', 'parent', 'tz'];

/** The address of another page of the same visit. */
export const link = ({ url }: PageRequest, path: string): string => {
  const kept = new URLSearchParams();
  for (const name of carried) if (url.searchParams.get(name)) kept.set(name, url.searchParams.get(name)!);
  return kept.size === 0 ? path : `${path}?${kept}`;
};

export const isEmbedded = (url: URL | undefined): boolean => url?.searchParams.get('embed') === 'inline';

/** The origin of the page around an embedded one. Messages are sent to it and nowhere else. */
export const parentOf = (url: URL | undefined): string | undefined => {
  const parent = isEmbedded(url) ? url?.searchParams.get('parent') : undefined;
  if (!parent || !/^https?:/.test(parent) || !URL.canParse(parent)) return undefined;
  return new URL(parent).origin === parent ? parent : undefined;
};
