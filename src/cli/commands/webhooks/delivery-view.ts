import type { View } from '../../../output/view.ts';

/** A delivery with what `sched` adds to it. */
export interface DeliveryRecord {
  readonly _sched: {
    received_at: string;
    /** How often the delivery was handled; more than 1 if the handler did not accept it before. */
    attempt: number;
    /** With `--forward-to`: what the handler answered and how fast, or why there is no answer. */
    status?: number;
    duration_ms?: number;
    error?: string;
  };
}

export const deliveryFields = ['event', 'created_at', 'created_by', 'payload', '_sched'];

/** Later columns go to the end, because scripts count them. */
export const deliveryView: View = {
  columns: [
    { header: 'RECEIVED', path: '_sched.received_at', as: 'time', priority: 4 },
    { header: 'EVENT', path: 'event', priority: 4 },
    { header: 'NAME', path: 'payload.name', priority: 3 },
    { header: 'EMAIL', path: 'payload.email', priority: 2 },
    { header: 'STATUS', path: '_sched.status', priority: 3 },
    { header: 'MS', path: '_sched.duration_ms', as: 'count', priority: 1 },
    { header: 'ERROR', path: '_sched.error', priority: 2 },
    { header: 'URI', path: 'payload.uri', as: 'id' },
  ],
  id: 'payload.uri',
};
