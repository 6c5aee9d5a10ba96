/** How many bookings a plan allows in each window. */
export interface Windows {
  minute?: number;
  hour?: number;
  day?: number;
}

const windowSeconds = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** How long one booking takes without any wait, roughly. */
const bookingSeconds = 0.2;

/** How long bookings take, and the window that slows them down most. */
export interface BookingTime {
  seconds: number;
  /** Missing if the bookings fit into all windows. */
  slowest?: { span: 'day' | 'hour' | 'minute'; limit: number; seconds: number };
}

/** Estimates the time for this many bookings, if no window is open yet. A full window must end before the next one. */
export const bookingTime = (count: number, windows: Windows): BookingTime => {
  const time: BookingTime = { seconds: 0 };
  let left = count;
  for (const [span, seconds] of windowSeconds) {
    const limit = windows[span];
    if (limit === undefined || left <= limit) continue;
    const full = Math.ceil(left / limit) - 1;
    time.seconds += full * seconds;
    time.slowest ??= { span, limit, seconds };
    left -= full * limit;
  }
  time.seconds = Math.ceil(time.seconds + left * bookingSeconds);
  return time;
};
