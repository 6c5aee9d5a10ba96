import { isLoopback } from '../base/uri.ts';

/** The ledger's name for the built-in sandbox, whose port changes each time. */
export const sandboxService = 'sandbox';

/** Whether an address is on this machine. */
export const isOnThisMachine = (address: string): boolean => {
  if (!URL.canParse(address)) return address === sandboxService;
  const { hostname } = new URL(address);
  return isLoopback(hostname) || hostname.endsWith('.localhost');
};

/** The name of a service in the ledger. All loopback names count as 127.0.0.1. */
export const serviceName = (baseUrl: string): string => {
  if (!URL.canParse(baseUrl)) return baseUrl;
  const url = new URL(baseUrl);
  if (isOnThisMachine(baseUrl)) url.hostname = '127.0.0.1';
  return url.origin;
};
