import { Follower, type FollowStatus, systemClock, systemRandom } from '@quartermaster/kernel';
import { useCallback, useEffect, useState } from 'react';
import { isOver, StreamEnd } from './close-words.ts';
import { openStream, type StreamAsked } from './open-stream.ts';

/** Who keeps what a stream says. */
export interface StreamReader {
  /** The stream begins, or begins again: what it says may be known already. */
  opened(): void;
  take(frames: readonly string[]): void;
}

export interface FollowedStream extends FollowStatus {
  readonly isFollowed: boolean;
  /** Tries at once. */
  readonly again: () => void;
}

/** The console says something every 10 s. */
const silenceMs = 30_000;
const backoff = { firstMs: 1_000, maxMs: 10_000, factor: 2 };
const connecting: FollowStatus = { state: { kind: 'connecting' }, heardAt: undefined };

/** Follows a stream of text over all its breaks, until its end is final; one that is not followed ends when it was read once. */
export function useFollowedStream({ lease, kind, query }: StreamAsked, reader: StreamReader): FollowedStream {
  const [status, setStatus] = useState(connecting);
  const [attempt, setAttempt] = useState(0);
  const isFollowed = query['follow'] !== false;
  const asked = JSON.stringify(query);
  useEffect(() => {
    void attempt;
    const follower = new Follower<string>({
      watch: (_from, { message, sound, ended }) => {
        const opened = (): void => {
          reader.opened();
          sound();
        };
        const text = (frame: string): void => (frame === '' ? sound() : message(frame));
        return openStream({ lease, kind, query: JSON.parse(asked) as StreamAsked['query'] }, { opened, text, ended }).close;
      },
      take: (frames) => reader.take(frames),
      judge: (error) => (error instanceof StreamEnd && (isOver(error.close) || !isFollowed) ? 'fail' : 'resume'),
      silenceMs,
      backoff,
      clock: systemClock,
      random: systemRandom,
      changed: () => tell(),
    });
    const tell = (): void => setStatus((before) => newer(before, follower.status()));
    const ending = new AbortController();
    setStatus(({ heardAt }) => ({ ...connecting, heardAt }));
    follower.run(ending.signal).catch(tell);
    return () => ending.abort();
  }, [lease, kind, asked, isFollowed, reader, attempt]);
  const again = useCallback(() => setAttempt((before) => before + 1), []);
  return { ...status, isFollowed, again };
}

/** What a page shows in seconds is not drawn again for every line. */
const newer = (before: FollowStatus, now: FollowStatus): FollowStatus =>
  before.state.kind === 'following' && now.state.kind === 'following' && (now.heardAt ?? 0) - (before.heardAt ?? 0) < 1_000 ? before : now;
