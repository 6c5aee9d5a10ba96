import type { Clock } from '../../src/base/system.ts';

/**
 * How far this machine's clock is ahead of the service's: it is behind. No test has two clocks that agree, so that code
 * that reads the wrong one is off by more than a year.
 */
export const machineAheadMs = -400 * 86_400_000;

/** This machine's clock, when the service's shows this. */
export const machineClock = <Given extends Pick<Clock, 'now'>>(service: Given, aheadMs = machineAheadMs): Given => ({
  ...service,
  now: () => service.now() + aheadMs,
});
