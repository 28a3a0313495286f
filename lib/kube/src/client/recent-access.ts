import type { Clock } from '@quartermaster/kernel';
import { RecentAnswers } from './recent-answers.ts';
import type { TokenOwner } from './token-review.ts';

/** A right that was taken away lasts this much longer. */
const rights = { believeMs: 30_000, max: 2_000 };
/** One that was granted counts after this time. Kept apart, so that callers without rights cannot push out those who have them. */
const refusals = { believeMs: 10_000, max: 500 };

type Review<R> = (who: TokenOwner, right: R, signal: AbortSignal) => Promise<boolean>;

/** Asks about each caller and right, on a kind or on a path, once in a while, for what is asked at every call. */
export function recentAccess<R>(review: Review<R>, clock: Clock): Review<R> {
  const allowed = new RecentAnswers<boolean>(clock, rights);
  const refused = new RecentAnswers<boolean>(clock, refusals);
  return async (who, right, signal) => {
    const { name, uid, groups, extra } = who;
    const key = JSON.stringify([name, uid, groups, extra, right]);
    const known = allowed.find(key) ?? refused.find(key);
    if (known !== undefined) return known.answer;
    const answer = await review(who, right, signal);
    (answer ? allowed : refused).keep(key, answer);
    return answer;
  };
}
