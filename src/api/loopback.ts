const loopback = /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/;

/** Whether a URL names this machine. */
export const isLoopbackUrl = (value: string): boolean => URL.canParse(value) && loopback.test(new URL(value).hostname);
