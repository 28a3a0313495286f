import { formatTime } from '../model/relative-time.ts';
import type { ApiError } from './api-error.ts';

/** What went wrong, as sentences for a person: what failed, since when, and what happens next. */
export function problemText({ code, message, since }: Pick<ApiError, 'code' | 'message' | 'since'>): string {
  if (code === 'unavailable' && since !== undefined) {
    return `The fulfillment service has not answered since ${formatTime(since)}. It is asked again by itself.`;
  }
  const text = message.trim();
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? '' : '.'}`;
}
