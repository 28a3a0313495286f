/**
 * One language for every table. Plain: words and `key:value`, set apart by spaces, all of which must match; double quotes keep words together, and
 * after a key they ask for the whole value, so that `kubernetes:"Ready"` leaves out `NotReady`. Or an expression in CEL. Letter case does not matter in
 * plain terms.
 */
export interface Term {
  /** In lower case; undefined for a word, which is looked for everywhere. */
  readonly key: string | undefined;
  readonly text: string;
  readonly isWhole: boolean;
}

/** Whether a filter is an expression and not plain: it compares, joins, calls, or names `this`. */
export const isExpression = (query: string): boolean => /\bthis\b|[=<>!&|(]/.test(query.replaceAll(/"[^"]*"?/g, ''));

/** The plain terms of a filter. A key whose value is still being typed asks for nothing yet; what is no key is part of its word. */
export function parseTerms(query: string, keys: readonly string[]): readonly Term[] {
  return [...query.matchAll(/(?:([\w.]+):)?(?:"([^"]*)"?|([^\s"]+))/g)].flatMap(([whole, prefix, quoted, bare]): Term[] => {
    const text = quoted ?? bare ?? '';
    const key = prefix === undefined ? undefined : keyNamed(prefix, keys);
    if (key !== undefined) return [{ key, text, isWhole: quoted !== undefined }];
    const word = prefix === undefined ? text : whole.replaceAll('"', '');
    const isBegun = word.endsWith(':') && keyNamed(word.slice(0, -1), keys) !== undefined;
    return word === '' || isBegun ? [] : [{ key: undefined, text: word, isWhole: false }];
  });
}

/** The key that somebody means: letter case and the plural do not matter. */
function keyNamed(typed: string, keys: readonly string[]): string | undefined {
  const wanted = typed.toLowerCase();
  return keys.find((key) => key === wanted) ?? keys.find((key) => key === `${wanted}s` || `${key}s` === wanted);
}

/** What to say about keys that do not exist; undefined when all do. Names may hold colons of their own, so that this is a hint and no refusal. */
export function unknownKeyHint(query: string, keys: readonly string[]): string | undefined {
  if (isExpression(query)) return undefined;
  const typed = [...query.replaceAll(/"[^"]*"?/g, '""').matchAll(/(?:^|\s)([a-z][\w.]*):(?=\S)/gi)].map(([, key = '']) => key);
  const unknown = typed.find((key) => keyNamed(key, keys) === undefined);
  return unknown === undefined ? undefined : `There is no key ${unknown}, so it is searched for as text. Keys: ${keys.join(', ')}.`;
}
