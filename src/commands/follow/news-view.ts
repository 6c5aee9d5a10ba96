import type { View } from '../../output/view.ts';

/** The columns of csv and tsv. Scripts rely on their order, so new ones go to the end. */
export const newsView: View = {
  columns: [
    { header: 'EVENT', path: 'event' },
    { header: 'AT', path: 'created_at', as: 'time' },
    { header: 'NAME', path: 'payload.name' },
    { header: 'EMAIL', path: 'payload.email' },
    { header: 'MEETING', path: 'payload.scheduled_event.name' },
    { header: 'START', path: 'payload.scheduled_event.start_time', as: 'time' },
    { header: 'END', path: 'payload.scheduled_event.end_time', as: 'time' },
    { header: 'INVITEE', path: 'payload.uri', as: 'id' },
    { header: 'MEETING ID', path: 'payload.scheduled_event.uri', as: 'id' },
  ],
  id: 'payload.uri',
};
