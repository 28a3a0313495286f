/*
 * A quarter to a half of an object's JSON is `metadata.managedFields`, which no cache keeps. It is cut out of the text before it
 * is parsed, with the two native searches that this takes; parsing it would cost several times as much.
 *
 * Inside a JSON string every quote is escaped, so the bytes of the key stand nowhere but at a key. The array holds at least one object
 * and no other array, so it ends at the first `}]` outside of a string. If that pair should ever stand inside of one, what is left is no JSON, and the
 * whole is parsed instead.
 */

const key = '"managedFields":[{';
const end = '}]';

/** Parses an object, a list or a watch event without the managedFields in it. */
export function parseLean(json: Buffer): unknown {
  const text = json.toString('utf8');
  const first = text.indexOf(key);
  if (first < 0) return JSON.parse(text);
  try {
    return JSON.parse(withoutManagedFields(text, first));
  } catch {
    return JSON.parse(text);
  }
}

function withoutManagedFields(text: string, first: number): string {
  let kept = '';
  let from = 0;
  for (let start = first; start >= 0; start = text.indexOf(key, from)) {
    const close = text.indexOf(end, start);
    if (close < 0) break;
    const isAfterAnother = text[start - 1] === ',';
    kept += text.slice(from, isAfterAnother ? start - 1 : start);
    from = close + end.length;
    if (!isAfterAnother && text[from] === ',') from += 1;
  }
  return kept + text.slice(from);
}

/** What a list says before its items. */
const listHead = /^\{"kind":"\w+","apiVersion":"[\w./-]+","metadata":(\{[^{}]*\}),"items":/;

/**
 * The token of the next page, read off the beginning of a list before the rest is parsed; undefined when there is none or when it
 * stands elsewhere, as in lists of custom resources.
 */
export function peekContinue(list: Buffer): string | undefined {
  const metadata = listHead.exec(list.toString('latin1', 0, 4_096))?.[1];
  if (metadata === undefined) return undefined;
  const { continue: token } = JSON.parse(metadata) as { continue?: string };
  return token === '' ? undefined : token;
}
