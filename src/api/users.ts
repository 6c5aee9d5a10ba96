import * as z from 'zod/mini';
import { dateTime, email, text } from './field.ts';
import { operations, readOne, resource } from './operation.ts';

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

// Assumed (users.paths): a user is read at `GET /users/{user}` and the token's own at `GET /users/me`. The change
// history names both without a path.
export const users = operations('users', 'users', {
  me: { ...readOne('Show the user the token belongs to', '/users/me', User), assumed: true },
  get: { ...readOne('Show a user', '/users/{user}', User), assumed: true },
});
