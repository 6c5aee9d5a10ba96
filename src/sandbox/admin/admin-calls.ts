import type { AdminCall } from './admin.ts';
import { dataCalls } from './data-admin.ts';
import { type DeliveryContext, deliveryCalls } from './delivery-admin.ts';
import { type DeskContext, deskCalls } from './desk-admin.ts';
import { type LogContext, logCalls } from './log-admin.ts';
import type { DataContext } from './world-admin.ts';

/** Every admin request of a running server. */
export const adminCalls: readonly AdminCall<LogContext & DataContext & DeliveryContext & DeskContext>[] = [
  ...dataCalls,
  ...deliveryCalls,
  ...logCalls,
  ...deskCalls,
];
