import { onTestFinished } from 'vitest';

interface Answer<E> {
  readonly event?: E | undefined;
  readonly token: string;
  readonly bookmark: boolean;
}

export interface Watching<E> {
  /** The next event, whatever bookmarks come before it. */
  next(): Promise<{ readonly event: E; readonly token: string }>;
  readonly firstToken: string;
  end(): void;
}

/** Resolves when the watch has begun. It ends with the test. */
export async function watching<E>(open: (signal: AbortSignal) => AsyncGenerator<Answer<E>, void, undefined>): Promise<Watching<E>> {
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const answers = open(ending.signal);
  const first = await answers.next();
  if (first.done === true || !first.value.bookmark) throw new Error('a watch begins with a bookmark');
  return {
    firstToken: first.value.token,
    end: () => ending.abort(),
    next: async () => {
      for (;;) {
        const { value, done } = await answers.next();
        if (done === true) throw new Error('the watch ended');
        if (!value.bookmark && value.event !== undefined) return { event: value.event, token: value.token };
      }
    },
  };
}
