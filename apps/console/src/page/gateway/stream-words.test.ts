import { describe, expect, it } from 'vitest';
import { StreamEnd } from './close-words.ts';
import { streamWords } from './stream-words.ts';

const now = 1_000_000;
const end = (code: number, reason = '') => new StreamEnd({ code, reason, openMs: 0 });
const words = (state: Parameters<typeof streamWords>[0]['state'], isFollowed = true) =>
  streamWords({ state, heardAt: now - 40_000, isFollowed }, now);

describe('how a stream is', () => {
  it('says since when it was not confirmed, why, and what happens next', () => {
    const broken = { kind: 'reconnecting', since: now - 3_000, retryAt: now + 4_200, error: end(4002) } as const;
    expect(words(broken)).toEqual({
      text: 'The provider cannot reach its cluster at the moment; trying again in 5 s. Last confirmed 40 s ago.',
      isLastKnown: true,
      isOver: false,
    });
    expect(words({ ...broken, retryAt: now - 1 }).text).toContain('; trying again now.');
    expect(words({ ...broken, error: new Error('no message received for 30 s') }).text).toContain('The connection was lost; ');
  });

  it('says that it is over, and calls what was only read once no failure', () => {
    expect(words({ kind: 'stopped', error: end(4003, 'the lease is closed') })).toMatchObject({
      text: 'Your access ended: the lease is closed. Last confirmed 40 s ago.',
      isLastKnown: true,
    });
    expect(words({ kind: 'stopped', error: end(1000) }, false)).toEqual({
      text: 'Read 40 s ago, not followed.',
      isLastKnown: false,
      isOver: true,
    });
    expect(words({ kind: 'stopped', error: end(4002) }, false)).toMatchObject({ isLastKnown: true });
  });

  it('is live while the other side is heard', () => {
    expect(words({ kind: 'following' })).toEqual({ text: 'live · 40 s ago', isLastKnown: false, isOver: false });
  });
});
