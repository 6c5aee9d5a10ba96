import type { RandomBytes } from '../../base/system.ts';
import { isLoopbackUrl } from '../../base/uri.ts';
import type { EmbedFamily } from '../../dialects/schema.ts';
import type { HttpRequest } from '../../http/message.ts';
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
  /** How the dialect of the service embeds pages, if it differs. */
  embed?: EmbedFamily | undefined;
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

/**
 * What links and forms carry from page to page: that the page is embedded, in what origin, the visitor's time zone, and
 * whether its clock has 12 or 24 hours.
 */
const carried = ['embed', 'parent', 'tz', 'hours'];

/** The address of another page of the same visit. */
export const link = ({ url }: PageRequest, path: string): string => {
  const parameters = new URLSearchParams();
  for (const name of carried) if (url.searchParams.get(name)) parameters.set(name, url.searchParams.get(name)!);
  return parameters.size === 0 ? path : `${path}?${parameters}`;
};

export const isEmbedded = (url: URL | undefined): boolean => url?.searchParams.get('embed') === 'inline';

/** The origin of the page around an embedded one. Messages are sent to it and nowhere else. */
export const parentOf = (url: URL | undefined): string | undefined => {
  const parent = isEmbedded(url) ? url?.searchParams.get('parent') : undefined;
  if (!parent || !/^https?:/.test(parent) || !URL.canParse(parent)) return undefined;
  return new URL(parent).origin === parent ? parent : undefined;
};

/**
 * The same page as an embedded one, for wrappers of the public service. They send `embed_domain` and `embed_type`, but not
 * the origin around the page: it is `http://HOST` if `embed_domain` is a host, and otherwise where the browser comes from.
 * Only pages of this computer are told anything.
 */
export const asEmbedded = ({ url, request: { headers } }: PageRequest): string | undefined => {
  if (!url.searchParams.has('embed_type') || isEmbedded(url)) return undefined;
  const search = new URLSearchParams(url.searchParams);
  const parent = [`http://${search.get('embed_domain')}`, headers.referer ?? ''].find(isLoopbackUrl);
  for (const name of ['embed_domain', 'embed_type']) search.delete(name);
  search.set('embed', 'inline');
  if (parent !== undefined) search.set('parent', new URL(parent).origin);
  return `${url.pathname}?${search}`;
};
