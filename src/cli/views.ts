import type { ResourceName } from '../api/catalogue.ts';
import type { View } from '../output/view.ts';

/** How each kind of record is shown. A record without a view does not compile. New columns go to the end: scripts count them. */
export const views: Record<ResourceName, View> = {
  event: {
    columns: [
      { header: 'START', path: 'start_time', as: 'time', priority: 5 },
      { header: 'NAME', path: 'name', priority: 4 },
      { header: 'STATUS', path: 'status', as: 'status', priority: 3 },
      { header: 'INVITEES', path: 'invitees_counter.active', as: 'count', priority: 2 },
      { header: 'HOSTS', path: 'event_memberships.*.user_name', as: 'list', priority: 1 },
      { header: 'ID', path: 'uri', as: 'id' },
    ],
  },
  invitee: {
    columns: [
      { header: 'NAME', path: 'name', priority: 5 },
      { header: 'EMAIL', path: 'email', priority: 4 },
      { header: 'STATUS', path: 'status', as: 'status', priority: 3 },
      { header: 'TIMEZONE', path: 'timezone', priority: 1 },
      { header: 'BOOKED', path: 'created_at', as: 'time', priority: 2 },
      { header: 'ID', path: 'uri', as: 'id' },
    ],
  },
  'event type': {
    columns: [
      { header: 'NAME', path: 'name', priority: 5 },
      { header: 'LENGTH', path: 'duration', as: 'minutes', priority: 4 },
      { header: 'KIND', path: 'kind', priority: 3 },
      { header: 'POOLING', path: 'pooling_type', priority: 1 },
      { header: 'ACTIVE', path: 'active', as: 'boolean', priority: 2 },
      { header: 'ID', path: 'uri', as: 'id' },
    ],
  },
  user: {
    columns: [
      { header: 'NAME', path: 'name', priority: 5 },
      { header: 'EMAIL', path: 'email', priority: 4 },
      { header: 'TIMEZONE', path: 'timezone', priority: 1 },
      { header: 'ID', path: 'uri', as: 'id' },
    ],
  },
};
