import { textOf } from './canary-mark.ts';

export interface CollectedAnswers {
  /** Resolves with the first answer. */
  readonly begun: Promise<void>;
  /** Resolves when an answer has the text in it. */
  until(text: string): Promise<void>;
}

/** Reads a watch until it ends, and hands on everything that it tells, as text. */
export function collectAnswers(answers: AsyncGenerator<unknown, void, undefined>, tell: (text: string) => void): CollectedAnswers {
  const begun = Promise.withResolvers<void>();
  const waiting: { readonly text: string; readonly resolve: () => void }[] = [];
  const seen: string[] = [];
  const read = async (): Promise<void> => {
    for await (const answer of answers) {
      begun.resolve();
      const text = textOf(answer);
      seen.push(text);
      tell(text);
      for (const each of waiting) if (text.includes(each.text)) each.resolve();
    }
  };
  read().catch((thrown: unknown) => begun.reject(thrown));
  return {
    begun: begun.promise,
    until: async (text) => {
      if (seen.some((each) => each.includes(text))) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ text, resolve });
      await promise;
    },
  };
}
