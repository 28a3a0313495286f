/** What could stand where somebody types, in place of `text.slice(from, to)`. */
export interface Completion {
  /** What is put there. */
  readonly insert: string;
  /** What is listed; the same as `insert` unless given. */
  readonly label?: string | undefined;
  readonly note?: string | undefined;
}

export interface Completions {
  readonly from: number;
  readonly to: number;
  readonly options: readonly Completion[];
}

/** Finds completions for a text and the place of the caret in it. Pure. */
export type Complete = (text: string, caret: number) => Completions | undefined;

/** More are not read. */
const maxShown = 12;

/** Those that begin with what is typed first, then those that hold it; nothing when the only one is typed already. */
export function matching<T extends Completion>(options: readonly T[], typed: string): readonly T[] {
  const word = typed.toLowerCase();
  const textOf = ({ label, insert }: Completion): string => (label ?? insert).toLowerCase();
  const first = options.filter((option) => textOf(option).startsWith(word));
  const others = options.filter((option) => !textOf(option).startsWith(word) && textOf(option).includes(word));
  const found = [...first, ...others].slice(0, maxShown);
  return found.length === 1 && found[0]?.insert.trim() === typed ? [] : found;
}
