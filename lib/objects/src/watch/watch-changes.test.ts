import { create } from '@bufbuild/protobuf';
import { type Api, ApiSchema } from '@bufbuild/protobuf/wkt';
import { FakeClock } from '@quartermaster/kernel';
import type { Bookmark, Change } from '@quartermaster/store';
import { describe, expect, it } from 'vitest';
import { sharedAnswers, type WatchAnswer, type WatchOptions, watchChanges } from './watch-changes.ts';

const change = (token: string, kind: string): Change => ({
  token,
  kind,
  at: new Date(0),
  type: 'created',
  objectId: token,
  version: 0n,
  tenantsBefore: [],
  tenantsAfter: [],
  body: new Uint8Array(),
});

/** A feed that says what is left of the script, with time passing before each item. */
function watch(
  script: readonly (readonly [afterMs: number, item: Change | Bookmark])[],
  more: Partial<WatchOptions<Api, WatchAnswer<Api>>> = {},
) {
  const clock = new FakeClock();
  const asked: (string | undefined)[] = [];
  const options: WatchOptions<Api, WatchAnswer<Api>> = {
    changes: {
      async *read(from) {
        asked.push(from);
        for (const [afterMs, item] of script) {
          await clock.advance(afterMs);
          yield item;
        }
      },
    },
    schema: ApiSchema,
    hidden: () => false,
    filter: '',
    token: '',
    eventOf: ({ kind, token }) => (kind === 'unseen' ? undefined : create(ApiSchema, { name: token })),
    hasBookmarks: true,
    answer: (parts) => parts,
    clock,
    ...more,
  };
  const answers = watchChanges(options, new AbortController().signal);
  const told = async (): Promise<string[]> => {
    const texts: string[] = [];
    for await (const answer of answers) texts.push(shown(answer));
    return texts;
  };
  return { asked, told };
}

const shown = ({ event, token }: WatchAnswer<Api>): string => (event === undefined ? `bookmark ${token}` : `event ${event.name} ${token}`);

describe('a watch', () => {
  it('passes on bookmarks and the events that the caller sees', async () => {
    const { told, asked } = watch([
      [0, { bookmark: '0' }],
      [1, change('1', 'hosts')],
      [1, change('2', 'unseen')],
      [1, change('3', 'hosts')],
    ]);
    expect(await told()).toEqual(['bookmark 0', 'event 1 1', 'event 3 3']);
    expect(asked).toEqual([undefined]);
  });

  it('sends what its filter lets through', async () => {
    const { told } = watch(
      [
        [0, change('1', 'hosts')],
        [0, change('2', 'hosts')],
      ],
      { filter: 'event.name == "2"', token: 'before' },
    );
    expect(await told()).toEqual(['event 2 2']);
  });

  it('tells how far the feed is every 30 seconds, however much passes by that is not for the caller', async () => {
    const busy = Array.from({ length: 100 }, (_, i) => [1_000, change(String(i + 1), 'unseen')] as const);
    expect(await watch(busy).told()).toEqual(['bookmark 30', 'bookmark 60', 'bookmark 90']);
  });

  it('sends nothing but events to a caller that did not ask for bookmarks', async () => {
    const busy = Array.from({ length: 40 }, (_, i) => [1_000, change(String(i + 1), 'unseen')] as const);
    const { told } = watch([[0, { bookmark: '0' }], ...busy, [1, change('41', 'hosts')], [60_000, { bookmark: '41' }]], {
      hasBookmarks: false,
    });
    expect(await told()).toEqual(['event 41 41']);
  });

  it('refuses a filter before it reads anything', async () => {
    const { told, asked } = watch([[0, { bookmark: '0' }]], { filter: 'event.nothing' });
    await expect(told()).rejects.toMatchObject({ code: 'invalid_argument' });
    expect(asked).toEqual([]);
  });
});

describe('answers of a watch', () => {
  it('are made once of an event for all who get it, and anew of a bookmark', () => {
    const answer = sharedAnswers((parts: WatchAnswer<Api>) => ({ ...parts }));
    const [one, other] = [create(ApiSchema, { name: '1' }), create(ApiSchema, { name: '2' })];
    expect(answer({ event: one, token: '1' })).toBe(answer({ event: one, token: '1' }));
    expect(answer({ event: other, token: '2' })).toEqual({ event: other, token: '2' });
    answer({ event: undefined, token: '3' });
    expect(answer({ event: undefined, token: '4' }).token).toBe('4');
  });
});
