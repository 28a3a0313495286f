import { closeCodes } from '../../gateway-view.ts';
import { formatAgo, formatDuration } from '../model/relative-time.ts';
import { StreamEnd } from './close-words.ts';
import type { FollowedStream } from './use-followed-stream.ts';

export interface StreamWords {
  readonly text: string;
  /** What is shown is only the last known. */
  readonly isLastKnown: boolean;
  /** Nothing happens any more unless somebody asks. */
  readonly isOver: boolean;
}

/** How far what a stream said can be believed, and what happens next. */
export function streamWords({ state, heardAt, isFollowed }: Omit<FollowedStream, 'again'>, now: number): StreamWords {
  const age = heardAt === undefined ? undefined : formatAgo(heardAt, now);
  const last = age === undefined ? '' : ` Last confirmed ${age}.`;
  switch (state.kind) {
    case 'connecting':
      return { text: 'Connecting …', isLastKnown: false, isOver: false };
    case 'following':
      return { text: `live · ${age ?? 'just now'}`, isLastKnown: false, isOver: false };
    case 'reconnecting': {
      // Nothing is wrong: what was asked for with one token goes on with the next.
      if (state.error instanceof StreamEnd && state.error.close.code === closeCodes.ended)
        return { text: 'Connecting again …', isLastKnown: false, isOver: false };
      const wait = state.retryAt <= now ? 'trying again now' : `trying again in ${formatDuration(state.retryAt - now + 999)}`;
      return { text: `${endWords(state.error)}; ${wait}.${last}`, isLastKnown: true, isOver: false };
    }
    case 'stopped': {
      const isRead = !isFollowed && state.error instanceof StreamEnd && state.error.close.code === closeCodes.done;
      if (isRead) return { text: `Read ${age ?? 'just now'}, not followed.`, isLastKnown: false, isOver: true };
      return { text: `${endWords(state.error)}.${last}`, isLastKnown: true, isOver: true };
    }
  }
}

const endWords = (error: unknown): string => (error instanceof StreamEnd ? error.message : 'The connection was lost');
