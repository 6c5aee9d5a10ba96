/**
 * What an embedded booking page tells the page around it, with `postMessage`.
 * Assumed (embed.messages): a message has `version` 1, an `event` and a `payload`. `sched.page_height` comes on load and
 * with each change, in whole CSS pixels, rounded up. The others come once per page: `sched.event_type_viewed`,
 * `sched.date_and_time_selected`, and with the URIs of the booking `sched.event_scheduled`, `sched.event_rescheduled` or
 * `sched.event_canceled`.
 */
export type EmbedMessage = { version: 1 } & (
  | { event: 'sched.page_height'; payload: { height: number } }
  | { event: 'sched.event_type_viewed' | 'sched.date_and_time_selected'; payload: Record<string, never> }
  | {
      event: 'sched.event_scheduled' | 'sched.event_rescheduled' | 'sched.event_canceled';
      payload: { event: { uri: string }; invitee: { uri: string } };
    }
);
