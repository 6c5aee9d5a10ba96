import * as z from 'zod/mini';
import { dateTime, email, record, reference, text } from './field.ts';
import { many, operations, optionally, readOne, resource } from './operation.ts';
import type { Sent } from './sent.ts';

export const User = resource('user', {
  uri: text('URI of the user'),
  name: text('full name'),
  slug: text('last part of the scheduling page URL'),
  email: email('email address'),
  scheduling_url: text('URL of the scheduling page'),
  timezone: text('IANA time zone'),
  avatar_url: z.nullable(text('URL of the profile picture')),
  created_at: dateTime('when the user was created'),
  updated_at: dateTime('when the user was last changed'),
  current_organization: text('URI of the organization the user belongs to'),
  locale: text('language preference'),
  resource_type: text('kind of record: User'),
});

export type SentUser = Sent<typeof User>;

// Assumed (users.paths): a user is read at `GET /users/{user}` and the token's own at `GET /users/me`. The change
// history names both without a path.
export const users = operations('users', 'users', {
  me: { ...readOne('Show the user the token belongs to', '/users/me', User), assumed: true },
  get: { ...readOne('Show a user', '/users/{user}', User), assumed: true },
});

const BusyTime = resource('busy time', {
  type: text('calendly, external or reserved'),
  start_time: dateTime('start time'),
  end_time: dateTime('end time'),
  event: z.optional(record({ uri: text('URI of the event') })),
});

export const moreUsers = operations(
  'users',
  'availability',
  optionally({
    busy: {
      summary: 'List times when a user is busy',
      method: 'GET',
      path: '/user_busy_times',
      query: record({
        user: reference('users', 'user whose busy times to list'),
        start_time: dateTime('first moment'),
        end_time: dateTime('last moment'),
      }),
      reply: many(BusyTime),
    },
  }),
);
