const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** A duration as a person would say it: `0 s`, `59 s`, `4 min`, `3 h`, `12 d`. Negative ones, of clocks that disagree, are `0 s`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < minute) return `${seconds} s`;
  if (seconds < hour) return `${Math.floor(seconds / minute)} min`;
  if (seconds < 2 * day) return `${Math.floor(seconds / hour)} h`;
  return `${Math.floor(seconds / day)} d`;
}

/** `2 s ago`, or `just now` within the first second. */
export function formatAgo(at: number, now: number): string {
  return now - at < 1000 ? 'just now' : `${formatDuration(now - at)} ago`;
}

/** The moment itself, in the reader's own time zone: `2026-11-15 07:12:03`. */
export function formatMoment(at: number): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${formatTime(at)}`;
}

/** The moment in both: `2026-11-15 08:12:03, 2026-11-15 07:12:03 UTC`. */
export function formatMoments(at: number): string {
  const utc = `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  return new Date(at).getTimezoneOffset() === 0 ? utc : `${formatMoment(at)}, ${utc}`;
}

/** The time of day alone: `07:12:03`. */
export function formatTime(at: number): string {
  const date = new Date(at);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

const two = (value: number): string => String(value).padStart(2, '0');
